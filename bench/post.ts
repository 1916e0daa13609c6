import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ApiClient } from '#test/support/api-client.ts'

/** As many connections as there are calls at once, kept for the next ones. */
const agent = new Agent({ keepAlive: true })
/** Milliseconds, longer than any answer that is awaited. */
const TIMEOUT_MS = 60_000

/** How a signal was answered. */
export interface SignalAnswer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever JSON was answered
  body: any
}

/**
 * Posts a signal with as little work as possible: the client of the tests holds each answer against the API's description,
 * which would be measured as the service's time and the caller's CPU. Throws when no JSON comes within a minute.
 */
export function postSignal(
  { origin, token }: Pick<ApiClient, 'origin' | 'token'>,
  signal: object,
): Promise<SignalAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<SignalAnswer>()
  const text = JSON.stringify(signal)
  const sending = request(`${origin}/api/v1/signals`, {
    agent,
    method: 'POST',
    timeout: TIMEOUT_MS,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      authorization: `Bearer ${token}`,
    },
  })
  sending.once('timeout', () => sending.destroy(new Error(`No answer within ${TIMEOUT_MS / 1_000} s`)))
  sending.once('error', reject)
  sending.once('response', (response) => {
    json(response).then((body) => resolve({ status: response.statusCode!, body }), reject)
  })
  sending.end(text)
  return promise
}
