import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { ApiClient } from '#test/support/api-client.ts'

/** As many connections as there are calls at once, kept for the next ones. */
const agent = new Agent({ keepAlive: true })
/** Milliseconds, longer than any answer that is awaited. */
const TIMEOUT_MS = 60_000

/** How a call was answered. */
export interface BareAnswer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever JSON was answered
  body: any
}

/** Posts a signal as {@link callBarely} does. */
export const postSignal = (
  client: Pick<ApiClient, 'origin' | 'token'>,
  signal: object,
): Promise<BareAnswer> => callBarely(client, 'POST', '/signals', signal)

/**
 * Calls the API with as little work as possible: the client of the tests holds each answer against the API's description,
 * which would be measured as the service's time and the caller's CPU. Throws when no JSON comes within a minute.
 *
 * @param path below /api/v1, such as /signals
 */
export function callBarely(
  { origin, token }: Pick<ApiClient, 'origin' | 'token'>,
  method: 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: object,
): Promise<BareAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<BareAnswer>()
  const text = body === undefined ? '' : JSON.stringify(body)
  const sending = request(`${origin}/api/v1${path}`, {
    agent,
    method,
    timeout: TIMEOUT_MS,
    headers: {
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      authorization: `Bearer ${token}`,
    },
  })
  sending.once('timeout', () => sending.destroy(new Error(`No answer within ${TIMEOUT_MS / 1_000} s`)))
  sending.once('error', reject)
  sending.once('response', (response) => {
    json(response).then((answer) => resolve({ status: response.statusCode!, body: answer }), reject)
  })
  sending.end(text)
  return promise
}
