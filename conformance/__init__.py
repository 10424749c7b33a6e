"""The bundle format, for everybody who reads or writes it: reference readers, published schemas, fixtures."""
