import { Agent, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { eventually } from '#test/support/eventually.ts'
import type { ApiClient } from '#test/support/api-client.ts'
import type { Stack } from '#test/support/stack.ts'

/** One connection for each concurrent call, kept for later calls. */
const agent = new Agent({ keepAlive: true })
const TIMEOUT_MS = 60_000

export interface BareAnswer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever JSON was answered
  body: any
}

/**
 * Calls the API with minimal work: the tests' client validates each answer against the API's description, which would
 * count as time of the service and CPU of the caller. Throws without JSON within a minute.
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

/**
 * Settings for measured signals: neither a deadline nor a bound of the service shortens an answer, only the number of
 * callers.
 */
export const UNBOUNDED = { SIGNAL_ANSWER_DEADLINE_MS: '30000', SIGNAL_CONCURRENCY: '1000' } as const

/** Sends a signal that buys one share at market. Throws unless the answer is executed or scheduled. */
export async function sendSignal(
  { api, accountId }: Stack,
  changes: { symbol: string } & Record<string, unknown>,
): Promise<void> {
  const { status, body } = await callBarely(api, 'POST', '/signals', {
    action: 'openLong',
    accountId,
    quantity: 1,
    executeMode: 'immediate',
    ...changes,
  })
  const wanted = changes['executeMode'] === 'scheduled' ? 'scheduled' : 'executed'
  if (body.signal?.status !== wanted)
    throw new Error(`A signal was answered ${status}: ${JSON.stringify(body)}`)
}

/** Waits until every signal is closed: its fills are in the ledger, and its workflow ends. */
export const whenClosed = (stack: Stack): Promise<void> =>
  eventually(
    async () => {
      const [open] = await stack.query<{ count: number }>(
        `select count(*)::int as count from signals s
         where not exists (select from signal_events e where e.signal_id = s.id and e.kind = 'closed')`,
      )
      if (open!.count > 0) throw new Error(`${open!.count} signals are not closed`)
    },
    { within: 180_000, every: 100 },
  )
