import { createClient } from '#client/client.ts'
import type { SignedIn } from '#client/types.ts'
import { learnTime } from './clock.ts'
import { createStore } from './store.ts'

/**
 * Id of the person whom this tab shows, also after a reload. The tab shows another person only after a sign-in here, or
 * a notice.
 */
const PLACE = 'person'

const personOfTab = (): string | null => sessionStorage.getItem(PLACE)

function setPersonOfTab(id: string | null): void {
  if (id === null) sessionStorage.removeItem(PLACE)
  else sessionStorage.setItem(PLACE, id)
}

/**
 * State of the sign-in. The access token is only in memory. The refresh token is in a cookie that no script can read,
 * and useless without its second half in this origin's storage: every port of the host receives the cookie, but only
 * this origin the storage. All tabs share one renewal: the first takes a lock, and sends the others the token.
 */
type SessionState =
  | { is: 'starting' }
  /** A session exists, but the service could not confirm it. */
  | { is: 'unreachable' }
  | { is: 'out'; because?: string }
  /** @property user id of the person */
  | { is: 'in'; user: string }

interface AccessToken {
  text: string
  user: string
  session: string
  /** By performance.now(), which ignores changes of the device's clock. */
  renewAt: number
}

/** Storage key of the session's id. */
const MARK = 'signed-in'
/** Storage key of the session's second half. */
const HALF = 'renewal-key'
/** In place of the id: signed out here, which the service does not know yet. */
const LEAVING = 'leaving'
/** Seconds before its end at which a token is renewed. */
const RENEWAL_MARGIN_SECONDS = 30
/** Milliseconds; shorter than the time in which the service accepts the same refresh token again. */
const RENEWAL_MS = 8_000
/** Milliseconds before each further attempt at a busy service. */
const BUSY_PAUSES_MS = [300, 900, 2_000] as const
/** Milliseconds after which another tab with the lock counts as asleep. */
const TURN_MS = 10_000
const ENDED = 'Your session has ended. Sign in again.'
const NOT_KEPT =
  'Your session in this browser has ended: you signed out in another tab, or the storage of the browser was cleared. Sign in again.'
const OTHER_PERSON =
  'Another user has signed in in this browser, so your session in this tab has ended. Sign in again, or reload the page to continue as that user.'
/** Milliseconds that a sign-out leaves to earlier requests, and then to itself. */
const FAREWELL_MS = 5_000

export const session = createStore<SessionState>({ is: 'starting' })
let token: AccessToken | undefined
/** Session that ended last in this tab; a late token of it from another tab starts nothing. */
let ended: string | undefined
/** The person whom this tab has shown last since it was loaded. */
let shown: string | undefined
/** Another person has the browser's session: this tab sends nothing until a sign-in here. */
let isOfOtherPerson = false
const tabs = new BroadcastChannel('session')

type Message = { text: string; secondsLeft: number } | { out: string | undefined }

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if ('out' in data) return forget(data.out)
  hold(data.text, data.secondsLeft)
})

function hold(text: string, secondsLeft: number): void {
  const { sub: user, sid } = claimsOf(text)
  if (sid === ended || isOfOtherPerson) return
  // The reader of this tab expects to act for the person it showed.
  if ((personOfTab() ?? shown ?? user) !== user) {
    isOfOtherPerson = true
    return forget(OTHER_PERSON)
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

/** In this tab only. */
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

/** Id of the session of this tab's token; null without one. */
export const heldSession = (): string | null => token?.session ?? null

export function begin(answer: SignedIn): void {
  isOfOtherPerson = false
  setPersonOfTab(claimsOf(answer.accessToken).sub)
  if (answer.renewalKey !== undefined) localStorage.setItem(HALF, answer.renewalKey)
  take(answer)
}

/** Stores a token, and sends it to the other tabs. */
function take({ accessToken, expiresIn }: SignedIn): void {
  hold(accessToken, expiresIn)
  tabs.postMessage({ text: accessToken, secondsLeft: expiresIn } satisfies Message)
}

/**
 * Runs work in one tab at a time; without locks (plain HTTP on a network) tabs are not coordinated. The lock is stolen
 * from a sleeping tab.
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
    // Another tab may have renewed it meanwhile.
    if (token !== undefined && token.text !== spent) return token.text
    // After a sign-out or sign-in meanwhile, the answer serves earlier requests but starts no session.
    const isStill = (): boolean => localStorage.getItem(MARK) === mark
    const renewalKey = localStorage.getItem(HALF)
    if (renewalKey === null) {
      if (isStill()) end(null, NOT_KEPT)
      return null
    }
    const { status, body } = await askForRenewal(renewalKey)
    if (status === 200) {
      if (isStill()) take(body.data)
      return isOfOtherPerson ? null : body.data.accessToken
    }
    if (status === 401 || status === 403) {
      if (isStill()) end(null, ENDED)
      return null
    }
    // 429, 503: the session is still valid, and only this renewal failed.
    throw new TypeError(`The session could not be renewed: status ${status}`)
  })
}

/** Renews the token, retrying a busy service within the time of one renewal. */
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
 * A valid access token; null when no person is signed in. Rejects when the service cannot be asked: the session
 * continues later.
 *
 * @param refused a token that the service has just refused
 */
export async function accessToken(refused?: string): Promise<string | null> {
  if (token && token.text !== refused && performance.now() < token.renewAt) return token.text
  if (isOfOtherPerson) return null
  const mark = localStorage.getItem(MARK)
  if (mark === null || mark === LEAVING) {
    // Before any sign-in, because the answer removes the session's cookie.
    if (mark === LEAVING) await leave()
    if (session.get().is !== 'out') forget(mark === null && personOfTab() !== null ? NOT_KEPT : undefined)
    return null
  }
  renewal ??= renew(refused ?? token?.text).finally(() => (renewal = undefined))
  return renewal
}

/**
 * Ends the session in all tabs, then at the service. Without an answer it has still ended here; the service is notified
 * when the app opens again.
 *
 * @param before requests under way that must reach the service first
 */
export async function signOut(before: readonly Promise<unknown>[]): Promise<void> {
  end(LEAVING)
  if (!(await leave(before)) && session.get().is === 'out')
    forget('You are signed out on this device. The service has not confirmed it yet.')
}

let leaving: Promise<boolean> | undefined

/** Ends the session at the service; resolves with whether it has ended. */
const leave = (before: readonly Promise<unknown>[] = []): Promise<boolean> =>
  (leaving ??= farewell(before).finally(() => (leaving = undefined)))

async function farewell(before: readonly Promise<unknown>[]): Promise<boolean> {
  if (before.length > 0) await Promise.race([Promise.allSettled(before), pause(FAREWELL_MS)])
  return inTurn(async () => {
    // Another tab may have ended it meanwhile.
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
    // Half of a session cannot end it, so that 401 needs no repetition.
    const hasEnded = status === 200 || status === 401
    if (hasEnded && localStorage.getItem(MARK) === LEAVING) forgetSession()
    return hasEnded
  }).catch(() => false)
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Claims of an access token, which only the service verifies. */
interface Claims {
  sub: string
  /** Id of the session, which a renewal keeps. */
  sid: string
}

/** @param token JWT (RFC 7519) signed by the service */
export function claimsOf(token: string): Claims {
  const [, payload = ''] = token.split('.')
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as Claims
}
