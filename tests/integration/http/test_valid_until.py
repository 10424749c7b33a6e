"""An end that is given over REST holds and is told; one before the beginning is refused."""

import httpx2


async def test_an_end_is_given_and_told_by_rest(owner: httpx2.AsyncClient) -> None:
    given = {"content": "The lift is closed", "valid_until": "2031-05-03"}
    stored = (await owner.post("/api/v1/memories", json=given)).json()
    refused = await owner.post("/api/v1/memories", json={**given, "valid_until": "1999-01-01"})
    assert refused.status_code in (400, 422) and "valid_until" in refused.text
    assert "2031-05-03" in (await owner.get(f"/api/v1/memories/{stored['id']}")).text
