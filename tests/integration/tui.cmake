# The full screen: under a pty, and driven in tmux.
aotscope_integration_test(tui_terminal)
aotscope_integration_test(tui_screens)
