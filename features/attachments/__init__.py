"""Attachments: pictures and files as memories, found by caption and text."""
