import { createClient } from '#client/client.ts'
import type { SignedIn } from '#client/types.ts'
import { learnTime } from './clock.ts'
import { createStore } from './store.ts'

/**
 * The person whom this tab shows, by id: it outlives a reload, and a browser that puts the tab away and brings it back. The
 * tab shows nobody else unless they sign in here, or the person has been told.
 */
const PLACE = 'person'

const personOfTab = (): string | null => sessionStorage.getItem(PLACE)

function setPersonOfTab(id: string | null): void {
  if (id === null) sessionStorage.removeItem(PLACE)
  else sessionStorage.setItem(PLACE, id)
}

/**
 * Who is signed in. The access token lives in memory only; the refresh token lives in a cookie that no script
 * can read, and is worth nothing without the second half, which stands in the storage of this origin: every port of the host
 * is sent the cookie, and this origin alone has its storage. All tabs share one renewal: the first takes a lock, and tells the others the new token.
 */
type SessionState =
  | { is: 'starting' }
  /** There is a session, but the service could not be asked whether it still holds. */
  | { is: 'unreachable' }
  | { is: 'out'; because?: string }
  /** @property user the id of the person */
  | { is: 'in'; user: string }

interface AccessToken {
  text: string
  user: string
  /** The id of the session. */
  session: string
  /** By performance.now(), which no change of the device's clock moves. */
  renewAt: number
}

/** Where the id of the session stands that this browser has. */
const MARK = 'signed-in'
/** Where the second half of that session stands. */
const HALF = 'renewal-key'
/** In the place of the id: signed out here, of which the service does not know yet. */
const LEAVING = 'leaving'
/** Seconds before its end at which a token is renewed. */
const RENEWAL_MARGIN_SECONDS = 30
/** Milliseconds; shorter than the time in which the service takes the same refresh token a second time. */
const RENEWAL_MS = 8_000
/** Milliseconds before each further attempt at a service that is busy. */
const BUSY_PAUSES_MS = [300, 900, 2_000] as const
/** Milliseconds after which another tab's turn counts as one that sleeps. */
const TURN_MS = 10_000
const ENDED = 'Your session has ended. Sign in again.'
const NOT_KEPT =
  'Your session in this browser has ended: you signed out in another tab, or the storage of the browser was cleared. Sign in again.'
const SOMEBODY_ELSE =
  'Another user has signed in in this browser, so your session in this tab has ended. Sign in again, or reload the page to continue as that user.'
/** Milliseconds that a sign-out gives to what was asked before it, and then as many to itself. */
const FAREWELL_MS = 5_000

export const session = createStore<SessionState>({ is: 'starting' })
let token: AccessToken | undefined
/** The id of the session that ended last in this tab; a token of it that comes late, from another tab, begins nothing. */
let ended: string | undefined
/** The person whom this tab has shown last since it was loaded. */
let shown: string | undefined
/** Another person has the session of the browser: this tab asks in nobody's name until somebody signs in here. */
let isSomebodyElses = false
const tabs = new BroadcastChannel('session')

type Message = { text: string; secondsLeft: number } | { out: string | undefined }

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if ('out' in data) return forget(data.out)
  hold(data.text, data.secondsLeft)
})

function hold(text: string, secondsLeft: number): void {
  const { sub: user, sid } = claimsOf(text)
  if (sid === ended || isSomebodyElses) return
  // Whoever looks at this tab believes to act for the person whom it showed.
  if ((personOfTab() ?? shown ?? user) !== user) {
    isSomebodyElses = true
    return forget(SOMEBODY_ELSE)
  }
  setPersonOfTab(user)
  shown = user
  token = {
    text,
    user,
    session: sid,
    renewAt: performance.now() + (secondsLeft - RENEWAL_MARGIN_SECONDS) * 1_000,
  }
  localStorage.setItem(MARK, sid)
  if (session.get().is !== 'in') session.set({ is: 'in', user })
}

/** In this tab alone. */
function forget(because?: string): void {
  ended = token?.session ?? ended
  token = undefined
  setPersonOfTab(null)
  session.set({ is: 'out', ...(because !== undefined && { because }) })
}

/** In all tabs. */
function end(mark: typeof LEAVING | null, because?: string): void {
  if (mark === null) forgetSession()
  else localStorage.setItem(MARK, mark)
  forget(because)
  tabs.postMessage({ out: because } satisfies Message)
}

function forgetSession(): void {
  localStorage.removeItem(MARK)
  localStorage.removeItem(HALF)
}

/** The id of the session that this tab has a token of; null without one. */
export const heldSession = (): string | null => token?.session ?? null

/** Takes over what a sign-in in this tab answered with. */
export function begin(answer: SignedIn): void {
  isSomebodyElses = false
  setPersonOfTab(claimsOf(answer.accessToken).sub)
  if (answer.renewalKey !== undefined) localStorage.setItem(HALF, answer.renewalKey)
  take(answer)
}

/** Takes over a token, and tells the other tabs. */
function take({ accessToken, expiresIn }: SignedIn): void {
  hold(accessToken, expiresIn)
  tabs.postMessage({ text: accessToken, secondsLeft: expiresIn } satisfies Message)
}

/**
 * One tab at a time; without locks (plain HTTP on a network) it is this tab alone that keeps the order. A tab may be put to
 * sleep in its turn: then it is taken from it.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return work()
  let hasBegun = false
  const turn = (): Promise<T> => {
    hasBegun = true
    return work()
  }
  try {
    return await navigator.locks.request('session', { signal: AbortSignal.timeout(TURN_MS) }, turn)
  } catch (error) {
    if (hasBegun) throw error
    return await navigator.locks.request('session', { steal: true }, work)
  }
}

let renewal: Promise<string | null> | undefined

async function renew(spent: string | undefined): Promise<string | null> {
  const mark = localStorage.getItem(MARK)
  return inTurn(async () => {
    // Another tab may have renewed it while this one waited.
    if (token !== undefined && token.text !== spent) return token.text
    // Signed out or in meanwhile, here or at another tab: an answer is good for what was asked before, and no session.
    const isStill = (): boolean => localStorage.getItem(MARK) === mark
    const renewalKey = localStorage.getItem(HALF)
    if (renewalKey === null) {
      if (isStill()) end(null, NOT_KEPT)
      return null
    }
    const { status, body } = await askForRenewal(renewalKey)
    if (status === 200) {
      if (isStill()) take(body.data)
      return isSomebodyElses ? null : body.data.accessToken
    }
    if (status === 401 || status === 403) {
      if (isStill()) end(null, ENDED)
      return null
    }
    // 429, 503: the session is still good, only this renewal was not possible.
    throw new TypeError(`The session could not be renewed: status ${status}`)
  })
}

/** Asks again, within the time of one renewal, where the service is only busy: it is there, and a moment later it answers. */
async function askForRenewal(renewalKey: string) {
  const manner = { signal: AbortSignal.timeout(RENEWAL_MS), renewalKey }
  const send = createClient(location.origin, undefined, manner)
  for (let attempt = 0; ; attempt++) {
    const began = performance.now()
    const answer = await send('POST /api/v1/auth/refresh', { body: {} })
    learnTime(answer.headers.get('Date'), performance.now() - began)
    const isBusy = answer.status === 429 || answer.status >= 500
    if (!isBusy || attempt === BUSY_PAUSES_MS.length) return answer
    await pause(BUSY_PAUSES_MS[attempt]!)
  }
}

/**
 * A token that is good for another while; null when nobody is signed in. Rejects when the service cannot be
 * asked: the session then goes on later.
 *
 * @param refused a token that the service has just refused
 */
export async function accessToken(refused?: string): Promise<string | null> {
  if (token && token.text !== refused && performance.now() < token.renewAt) return token.text
  if (isSomebodyElses) return null
  const mark = localStorage.getItem(MARK)
  if (mark === null || mark === LEAVING) {
    // Before anybody signs in: the answer takes the cookie of the session away.
    if (mark === LEAVING) await leave()
    if (session.get().is !== 'out') forget(mark === null && personOfTab() !== null ? NOT_KEPT : undefined)
    return null
  }
  renewal ??= renew(refused ?? token?.text).finally(() => (renewal = undefined))
  return renewal
}

/**
 * Ends the session in all tabs at once, and then at the service. Without an answer of the service it has ended here all
 * the same; the service is told when the app is opened the next time.
 *
 * @param before requests of the session that are under way, and reach the service before it is told
 */
export async function signOut(before: readonly Promise<unknown>[]): Promise<void> {
  end(LEAVING)
  if (!(await leave(before)) && session.get().is === 'out')
    forget('You are signed out on this device. The service has not confirmed it yet.')
}

let leaving: Promise<boolean> | undefined

/** Ends the session at the service; resolves with whether it has. */
const leave = (before: readonly Promise<unknown>[] = []): Promise<boolean> =>
  (leaving ??= farewell(before).finally(() => (leaving = undefined)))

async function farewell(before: readonly Promise<unknown>[]): Promise<boolean> {
  if (before.length > 0) await Promise.race([Promise.allSettled(before), pause(FAREWELL_MS)])
  return inTurn(async () => {
    // Another tab may have told it while this one waited.
    if (localStorage.getItem(MARK) !== LEAVING) return true
    const renewalKey = localStorage.getItem(HALF) ?? undefined
    const manner = { keepalive: true, signal: AbortSignal.timeout(FAREWELL_MS), renewalKey }
    const { status } = await createClient(
      location.origin,
      undefined,
      manner,
    )('POST /api/v1/auth/logout', {
      body: {},
    })
    // Half a session ends nothing, however often it is sent.
    const isOver = status === 200 || status === 401
    if (isOver && localStorage.getItem(MARK) === LEAVING) forgetSession()
    return isOver
  }).catch(() => false)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** What an access token says of itself. The service alone verifies it; here it only tells sessions apart. */
interface Claims {
  /** Id of the user. */
  sub: string
  /** Id of the session, which stays the same when its token is renewed. */
  sid: string
}

/** @param token a JWT (RFC 7519) as the service signs it */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.')
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims
}
