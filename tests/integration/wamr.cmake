# One line for each script: aotscope_integration_test(NAME)
