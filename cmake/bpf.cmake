# bpf/*.bpf.c -> one object (bpftool gen object) -> one skeleton header (bpftool gen skeleton).
find_program(BPFTOOL bpftool REQUIRED PATHS /usr/sbin /usr/local/sbin)
find_program(BPF_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 REQUIRED)

function(aotscope_bpf_skeleton target name)
  set(out ${CMAKE_CURRENT_BINARY_DIR})
  # vmlinux.h: from the BTF that was named, or a ready header.
  if(AOTSCOPE_VMLINUX_BTF MATCHES "\\.h$")
    add_custom_command(OUTPUT ${out}/vmlinux.h
      COMMAND ${CMAKE_COMMAND} -E copy ${AOTSCOPE_VMLINUX_BTF} ${out}/vmlinux.h
      DEPENDS ${AOTSCOPE_VMLINUX_BTF} VERBATIM)
  else()
    # No DEPENDS on the BTF in sysfs: its time stamp is that of the last boot or access.
    add_custom_command(OUTPUT ${out}/vmlinux.h
      COMMAND ${BPFTOOL} btf dump file ${AOTSCOPE_VMLINUX_BTF} format c > ${out}/vmlinux.h
      VERBATIM)
  endif()
  set(objects)
  foreach(source ${ARGN})
    get_filename_component(base ${source} NAME_WE)
    set(object ${out}/${base}.bpf.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${BPF_CLANG} -target bpf -mcpu=v3 -O2 -g -Wall -Wextra -Werror
        -Wno-unused-parameter -Wno-missing-declarations
        -D__TARGET_ARCH_x86 -I${out} -I${PROJECT_SOURCE_DIR}/include ${libbpf_CFLAGS}
        -MD -MF ${object}.d -MT ${object}
        -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${source} ${out}/vmlinux.h DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  add_custom_command(OUTPUT ${out}/${name}.bpf.o
    COMMAND ${BPFTOOL} gen object ${out}/${name}.bpf.o ${objects} DEPENDS ${objects} VERBATIM)
  add_custom_command(OUTPUT ${out}/${name}.skel.h
    COMMAND ${BPFTOOL} gen skeleton ${out}/${name}.bpf.o name ${name}_bpf > ${out}/${name}.skel.h
    DEPENDS ${out}/${name}.bpf.o VERBATIM)
  add_custom_target(${target}_skeleton DEPENDS ${out}/${name}.skel.h)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${out})
  target_link_libraries(${target} INTERFACE PkgConfig::libbpf)
  add_dependencies(${target} ${target}_skeleton)
endfunction()
