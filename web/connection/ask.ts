import { createClient } from '#client/client.ts'
import type { AnswerOf, Routes } from '#client/types.ts'
import { askForProof } from './proof.ts'
import { accessToken, heldSession, claimsOf } from './session.ts'
import { learnTime } from './clock.ts'
import { withReadableInstants } from './instants-of-answers.ts'
import { noAnswer, notSent, Problem, problemOf } from './problem.ts'
import { createStopwatch } from './stopwatch.ts'

type Route = keyof Routes

/** Refusals that a fresh proof answers; administration requires the second factor. */
const PROOFS = ['VERIFICATION_REQUIRED', 'SECOND_FACTOR_REQUIRED'] as const
/** Routes with pages that format instants themselves. */
const TIMES_SAID_BY_PAGE: ReadonlySet<Route> = new Set<Route>([
  'GET /api/v1/signals/{id}/events',
  'GET /api/v1/orders/{orderId}/events',
  'GET /api/v1/alerts',
])
/** Milliseconds to wait for a token; a request with a change is not sent later. */
const REQUEST_LATE_MS = 15_000
type Good<R extends Route> = Extract<AnswerOf<R>, { status: 200 | 201 | 202 | 204 }>

/**
 * Sends a request as the signed-in person. It renews an expired token, asks for a fresh proof where required, and then
 * repeats the request, which is safe because it was refused; a request without an answer is never repeated. Throws a
 * {@link Problem} for everything but success.
 */
export const ask = <R extends Route>(route: R, ...request: Routes[R]['request']): Promise<Good<R>> =>
  askWith(undefined, route, request)

type Present<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

/** Defined values only, for a query or body. */
export const present = <Values extends object>(values: Values): Present<Values> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Present<Values>

type DataOf<R extends Route> = Extract<Good<R>, { body: { data: unknown } }>['body']['data']

/** Data of the answer of {@link ask}, without its envelope. */
export const dataOf = async <R extends Route>(
  route: R,
  ...request: Routes[R]['request']
): Promise<DataOf<R>> => ((await ask(route, ...request)) as { body: { data: DataOf<R> } }).body.data

/**
 * Sends a request that places orders, as {@link ask}. With the same key it has no second effect, so that a person may
 * repeat it after a lost answer.
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
  // The request belongs to one session: the next person did not ask for it.
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
 * Token for a request that leaves now. A change is not sent when its token came late, such as on a device that slept:
 * the person decided on an older state.
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

/** Rejects once a request would be too late to be sent. */
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
    // A decision is sent whole even if its page closes at the same moment.
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
