import { createClient } from '#client/client.ts'
import type { SignedIn } from '#client/types.ts'
import { learnTime } from '../connection/clock.ts'
import { createStore } from '../connection/store.ts'

/**
 * Who is signed in. The access token lives in memory only; the refresh token lives in a cookie that no script
 * can read. All tabs share one renewal: the first takes a lock, and tells the others the new token.
 */
export type SessionState =
  | { is: 'starting' }
  /** There is a session, but the service could not be asked whether it still holds. */
  | { is: 'unreachable' }
  | { is: 'out'; because?: string }
  | { is: 'in' }

interface AccessToken {
  text: string
  /** By performance.now(), which no change of the device's clock moves. */
  renewAt: number
}

const MARK = 'signed-in'
/** In the place of the mark: signed out here, of which the service does not know yet. */
const LEAVING = 'leaving'
/** Seconds before its end at which a token is renewed. */
const MARGIN = 30

export const session = createStore<SessionState>({ is: 'starting' })
let token: AccessToken | undefined
const tabs = new BroadcastChannel('session')

type Message = { text: string; secondsLeft: number } | 'out'

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'out') return forget()
  hold(data.text, data.secondsLeft)
})

function hold(text: string, secondsLeft: number): void {
  token = { text, renewAt: performance.now() + (secondsLeft - MARGIN) * 1_000 }
  localStorage.setItem(MARK, 'yes')
  if (session.get().is !== 'in') session.set({ is: 'in' })
}

function forget(because?: string): void {
  token = undefined
  localStorage.removeItem(MARK)
  session.set({ is: 'out', ...(because !== undefined && { because }) })
}

/** Takes over what a sign-in answered with. */
export function begin({ accessToken, expiresIn }: SignedIn): void {
  hold(accessToken, expiresIn)
  tabs.postMessage({ text: accessToken, secondsLeft: expiresIn } satisfies Message)
}

/** One at a time over all tabs; without locks (plain HTTP on a network) over this tab. */
async function exclusively<T>(work: () => Promise<T>): Promise<T> {
  return 'locks' in navigator ? await navigator.locks.request('renew-session', work) : await work()
}

let renewal: Promise<string | null> | undefined

async function renew(spent: string | undefined): Promise<string | null> {
  return exclusively(async () => {
    // Another tab may have renewed it while this one waited for the lock.
    if (token !== undefined && token.text !== spent) return token.text
    const began = performance.now()
    const { status, body, headers } = await createClient(location.origin)('POST /api/v1/auth/refresh', {
      body: {},
    })
    learnTime(headers.get('Date'), performance.now() - began)
    if (status === 200) {
      begin(body.data)
      return body.data.accessToken
    }
    if (status === 401 || status === 403) {
      forget('Your session has ended. Sign in again.')
      return null
    }
    // 429, 503: the session is still good, only this renewal was not possible.
    throw new TypeError(`The session could not be renewed: status ${status}`)
  })
}

/**
 * A token that is good for another while; null when nobody is signed in. Rejects when the service cannot be
 * asked: the session then goes on later.
 *
 * @param refused a token that the service has just refused
 */
export async function accessToken(refused?: string): Promise<string | null> {
  if (token && token.text !== refused && performance.now() < token.renewAt) return token.text
  const mark = localStorage.getItem(MARK)
  if (mark === null || mark === LEAVING) {
    // Before anybody signs in: the answer takes the cookie of the session away.
    if (mark === LEAVING) await (leaving ??= leave().finally(() => (leaving = undefined)))
    if (session.get().is !== 'out') forget()
    return null
  }
  renewal ??= renew(refused ?? token?.text).finally(() => (renewal = undefined))
  return renewal
}

/**
 * Ends the session here, in all tabs and at the service. Without an answer of the service it has ended here all the
 * same; the service is told when the app is opened the next time.
 */
export async function signOut(): Promise<void> {
  const isKnown = await leave()
  forget(isKnown ? undefined : 'You are signed out on this device. The service could not be told yet.')
  if (!isKnown) localStorage.setItem(MARK, LEAVING)
  tabs.postMessage('out' satisfies Message)
}

let leaving: Promise<boolean> | undefined

/** Ends the session at the service; resolves with whether it has. */
async function leave(): Promise<boolean> {
  const isKnown = await createClient(location.origin)('POST /api/v1/auth/logout', { body: {} }).then(
    ({ status }) => status === 200,
    () => false,
  )
  if (isKnown && localStorage.getItem(MARK) === LEAVING) localStorage.removeItem(MARK)
  return isKnown
}
