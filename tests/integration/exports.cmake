# Recordings in other tools, and beside each other.
aotscope_integration_test(export_tools)
aotscope_integration_test(export_perfmap)
aotscope_integration_test(export_diff)
aotscope_integration_test(export_html)
aotscope_integration_test(export_diff_html)
