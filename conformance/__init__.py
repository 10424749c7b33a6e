"""The format of bundles, for everybody who reads or writes them: reference readers, published schemas, fixtures."""
