"""Conversations that other programs keep: transcripts of coding agents, and exports of chats."""
