# Faults that people reported against profilers of generated code, each as a case with a known
# answer. They run on a loader and on images of our own, so they need no registry.
add_executable(case_loader ${CMAKE_CURRENT_SOURCE_DIR}/cases/loader.cpp)
target_link_libraries(case_loader PRIVATE aotscope_image Threads::Threads)
add_executable(case_images ${CMAKE_CURRENT_SOURCE_DIR}/cases/images.cpp)
target_link_libraries(case_images PRIVATE aotscope_options)
target_include_directories(case_images PRIVATE ${PROJECT_SOURCE_DIR}/tests)
set_target_properties(case_loader case_images PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

aotscope_integration_test(case_missed)
aotscope_integration_test(case_s01)
aotscope_integration_test(case_s02)
aotscope_integration_test(case_s03)
aotscope_integration_test(case_s04)
aotscope_integration_test(case_s05)
aotscope_integration_test(case_s06)
aotscope_integration_test(case_s07)
aotscope_integration_test(case_s09)
aotscope_integration_test(case_s10)
aotscope_integration_test(case_s11)
aotscope_integration_test(case_s12)
aotscope_integration_test(case_s13)
aotscope_integration_test(case_s14)
