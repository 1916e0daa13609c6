import assert from 'node:assert/strict'
import { withReadableInstants } from '#web/connection/instants-of-answers.ts'

const AT = '2026-11-28T22:12:57.145Z'
const SHOWN = 'Sat 28 Nov, 17:12:57 New York'

describe('instants in the answers that pages of the web app show', () => {
  for (const name of ['message', 'error', 'detail', 'statusDetail', 'summary', 'reason'])
    it(`an instant within the sentence "${name}" is read as a time of the exchange, however deep it lies`, () => {
      const at = (text: string) => ({ signals: [{ id: '1', advisories: [{ code: 'X', [name]: text }] }] })
      assert.deepEqual(
        withReadableInstants(at(`It is sent not after ${AT}, and not before 2026-11-28T15:00:00Z`)),
        at(`It is sent not after ${SHOWN}, and not before Sat 28 Nov, 10:00 New York`),
      )
    })

  it('instants that are values, texts of senders and quoted values stay as they are', () => {
    const answer = {
      message: `scheduledProcessAt cannot be "${AT}"`,
      signal: { acceptedAt: AT, sourceId: `spy ${AT}`, note: null, size: 3, isLive: true },
      body: `{"time":"${AT}"}`,
    }
    assert.deepEqual(withReadableInstants(answer), answer)
  })
})
