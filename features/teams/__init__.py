"""Teams: a signed manifest gives each workstation the same namespaces, rules and trust."""
