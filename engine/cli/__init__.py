"""The headless command line (design.md, "The command line"): a contract that scripts and tests rely on."""
