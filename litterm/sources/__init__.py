"""Where papers come from: one door to the network, and one file a service. None of them knows the library."""
