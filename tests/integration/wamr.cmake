# The real runtime, and its compiler's output: programs whose hot functions, call chains and classes
# are known from their sources.
add_executable(wamr_targets ${CMAKE_CURRENT_SOURCE_DIR}/wamr_targets.cpp)
target_link_libraries(wamr_targets PRIVATE aotscope_isa PkgConfig::capstone)
set_target_properties(wamr_targets PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

aotscope_integration_test(wamr_core)
aotscope_integration_test(wamr_early)
aotscope_integration_test(wamr_components)
aotscope_integration_test(wamr_perf)
aotscope_integration_test(wamr_launch)
aotscope_integration_test(wamr_long)
aotscope_integration_test(wamr_ends)
aotscope_integration_test(wamr_stale)
aotscope_integration_test(wamr_top)
aotscope_integration_test(wamr_classes)
aotscope_integration_test(wamr_inspect)
aotscope_integration_test(wamr_stacks)
aotscope_integration_test(wamr_boundaries)
