import { createClient } from '#client/client.ts'
import type { AnswerOf, Routes } from '#client/types.ts'
import { askForProof } from './proof.ts'
import { accessToken, heldSession, claimsOf } from './session.ts'
import { learnTime } from './clock.ts'
import { withReadableInstants } from './instants-of-answers.ts'
import { noAnswer, notSent, Problem, problemOf } from './problem.ts'
import { createStopwatch } from './stopwatch.ts'

type Route = keyof Routes

/** Refusals that a proof of the person answers; administration wants it by the second step. */
const PROOFS = ['VERIFICATION_REQUIRED', 'SECOND_FACTOR_REQUIRED'] as const
/** Their pages say times themselves, in the zone that the person has chosen or beside the one of the device. */
const TIMES_SAID_BY_PAGE: ReadonlySet<Route> = new Set<Route>([
  'GET /api/v1/signals/{id}/events',
  'GET /api/v1/orders/{orderId}/events',
  'GET /api/v1/alerts',
])
/** Milliseconds that a request waits for its token; one that changes something is not sent later either. */
const REQUEST_LATE_MS = 15_000
/** The answers of a route that are no refusal. */
type Good<R extends Route> = Extract<AnswerOf<R>, { status: 200 | 201 | 202 | 204 }>

/**
 * Asks the service as the person who is signed in. A token that has run out is renewed, and proof of the person
 * is asked for where the route wants it; the request then goes out again, which is safe because it was refused.
 * A request without an answer is never repeated here. Throws a {@link Problem} for everything but success.
 */
export const ask = <R extends Route>(route: R, ...request: Routes[R]['request']): Promise<Good<R>> =>
  askWith(undefined, route, request)

type Present<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

/** Those of some values that are there, as a query or body takes them. */
export const present = <Values extends object>(values: Values): Present<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<Values>

type DataOf<R extends Route> = Extract<Good<R>, { body: { data: unknown } }>['body']['data']

/** As {@link ask}, and hands out the data of the answer, without its envelope. */
export const dataOf = async <R extends Route>(
  route: R,
  ...request: Routes[R]['request']
): Promise<DataOf<R>> => ((await ask(route, ...request)) as { body: { data: DataOf<R> } }).body.data

/**
 * As {@link ask}, for requests that place orders: with the same key the same request does nothing twice, so that a
 * person may send it again after an answer was lost.
 */
export const askOnce = <R extends Route>(
  idempotencyKey: string,
  route: R,
  ...request: Routes[R]['request']
): Promise<Good<R>> => askWith(idempotencyKey, route, request)

async function askWith<R extends Route>(
  key: string | undefined,
  route: R,
  request: Routes[R]['request'],
): Promise<Good<R>> {
  // The person who signs in next has not asked for it: it goes out in one session alone.
  let asker = heldSession()
  const token = await tokenToSend(route, asker)
  asker ??= token === null ? null : claimsOf(token).sid
  let answer = await send(token, key, route, request)
  if (answer.status === 401 && token !== null) {
    const renewed = await tokenToSend(route, asker, token)
    if (renewed !== null) answer = await send(renewed, key, route, request)
  }
  for (const wanted of PROOFS) {
    if (answer.status !== 403 || problemOf(403, answer.body).code !== wanted) continue
    if (!(await askForProof({ bySecondStep: wanted === 'SECOND_FACTOR_REQUIRED' })))
      throw new Problem(403, 'NOT_PROVEN', 'Nothing was done: you did not confirm.', null)
    answer = await send(await tokenToSend(route, asker), key, route, request)
  }
  if (Number(answer.status) >= 400) throw problemOf(Number(answer.status), answer.body)
  return answer as Good<R>
}

/**
 * A token for a request that goes out now. What changes something does not go out when the token came late, such as to
 * a device that slept meanwhile: the person decided by what was known before.
 */
async function tokenToSend(route: Route, asker: string | null, refused?: string): Promise<string | null> {
  const waited = createStopwatch()
  const token = await inTime(accessToken(refused)).catch(() => {
    throw notSent()
  })
  if (!route.startsWith('GET ') && waited.milliseconds() > REQUEST_LATE_MS) throw notSent()
  if (token !== null && asker !== null && claimsOf(token).sid !== asker)
    throw notSent('Not sent: your session has ended.')
  return token
}

/** Rejects when it takes so long that nothing would go out any more. */
async function inTime<T>(coming: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError('No token came in time')), REQUEST_LATE_MS)
  })
  return Promise.race([coming, late]).finally(() => clearTimeout(timer))
}

async function send<R extends Route>(
  token: string | null,
  idempotencyKey: string | undefined,
  route: R,
  request: Routes[R]['request'],
): Promise<AnswerOf<R>> {
  const began = performance.now()
  try {
    // What was decided is sent whole, even when its page is left in the same moment.
    const keepalive = !route.startsWith('GET ')
    const manner = { keepalive, idempotencyKey }
    const answer = await createClient(location.origin, token ?? undefined, manner)(route, ...request)
    learnTime(answer.headers.get('Date'), performance.now() - began)
    return TIMES_SAID_BY_PAGE.has(route)
      ? answer
      : ({ ...answer, body: withReadableInstants(answer.body) } as AnswerOf<R>)
  } catch {
    throw noAnswer()
  }
}
