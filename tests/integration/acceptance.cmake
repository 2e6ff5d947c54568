# What tools/acceptance runs beside aotscope.
add_executable(make_week ${CMAKE_CURRENT_SOURCE_DIR}/make_week.cpp)
target_link_libraries(make_week PRIVATE aotscope_store)
target_include_directories(make_week PRIVATE ${PROJECT_SOURCE_DIR}/tests)
set_target_properties(make_week PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
