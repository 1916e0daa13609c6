import assert from 'node:assert/strict'
import { connectBroker } from '#brokers/registry.ts'
import { CONTROL_SECRET } from '#test/support/venue-desk.ts'
import { startVenue } from '#venue/server.ts'
import { describeBrokerContract } from './contract.ts'

const keys = { keyId: 'CONTRACT', secretKey: 'contract-secret' }

describeBrokerContract('Alpaca adapter at the paper venue', async () => {
  const venue = await startVenue({
    VENUE_KEY_ID: keys.keyId,
    VENUE_SECRET_KEY: keys.secretKey,
    VENUE_CONTROL_SECRET: CONTROL_SECRET,
  })
  const put = async (path: string, body: unknown) => {
    const answer = await fetch(`${venue.url}${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${CONTROL_SECRET}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  const connect = (credentials: Record<string, string>) =>
    connectBroker({ brokerType: 'paper', baseUrl: venue.url, credentials, requestTimeoutMs: 1_000 })
  const faults = {
    before: { mode: 'reset', when: 'before' },
    after: { mode: 'reset', when: 'after' },
    busy: { mode: '429', retryAfterSeconds: 2 },
  }
  return {
    broker: connect(keys),
    symbol: 'AAPL',
    setPrice: (price) => put('/venue/prices/AAPL', { price }),
    withWrongKeys: () => connect({ ...keys, secretKey: 'wrong' }),
    spoilNextSubmission: (how) =>
      put('/venue/faults', { rules: [{ on: 'submit', times: 1, ...faults[how] }] }),
    close: () => venue.close(),
  }
})
