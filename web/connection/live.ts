import { createParser } from 'eventsource-parser'
import { accessToken, heldSession, session, claimsOf } from './session.ts'
import { serviceNow } from './clock.ts'
import { noteContact } from './contact.ts'
import { allSymbols, noteTab, onLookedAt, ownSymbols } from './looked-at.ts'
import { createStopwatch } from './stopwatch.ts'
import { createStore, useStore } from './store.ts'

/** Whether news arrive at once, and since when they do not. */
export type LiveState =
  | { isLive: true }
  | {
      isLive: false
      since: number
      /** It has only begun to listen: nothing is lost yet. */
      isBeginning: boolean
    }
/** One event of the service's stream. */
export interface News {
  name: string
  data: unknown
}

type Message =
  | { news: News; id: string | undefined }
  | { state: LiveState }
  | { tab: string; symbols: readonly string[] }
  | 'hello'

/** The service says something every 15 s; twice that in silence is a dead line. */
const SILENCE_MS = 30_000
/** A page that hears nothing for so long from its beginning has no connection. */
const BEGINNING_MS = 5_000
/** So often the tab that reads tells the others that it does, as long as news arrive. */
const TELL_MS = 5_000
/** At most; at least half of it, so that not all browsers ask a service at once that is back. */
const RECONNECT_PAUSE_MS = 1_000
const MAX_RECONNECT_PAUSE_MS = 15_000
/** A page that is opened names its symbols one after the other. */
const NAMING_PAUSE_MS = 300
/** All records, and what the service tells to those alone who ask for it. */
const TOPICS = 'signals,orders,positions,accounts,alerts,trades,halts,brokers,user,quotes,figures'

/** Since when news are missing; null while they arrive, and while a page has only begun to listen. */
export const silentSince = (state: LiveState): number | null =>
  state.isLive || state.isBeginning ? null : state.since

export const live = createStore<LiveState>({
  isLive: false,
  since: serviceNow(),
  isBeginning: true,
})
/** Whether news arrive at once. */
export const useIsLive = (): boolean => useStore(live).isLive

const listeners = new Set<(news: News) => void>()
const tabs = new BroadcastChannel('live')
const thisTab = crypto.randomUUID()
let isReader = false
/** Whether this tab reads the stream for all tabs of the browser. */
export const isLeading = (): boolean => isReader
let lastEventId: string | undefined
/** The connection that is read. */
let line: AbortController | undefined
/** The connection is given up for one that follows more symbols. */
let isChanging = false
/** Symbols of which the connection tells, or was asked to. */
const followed = new Set<string>()
/** What it has told of prices last, by accounts and symbol, for tabs that are opened later. */
const prices = new Map<string, { accountIds: readonly string[]; quotes: Map<string, { symbol: string }> }>()
/** Ends the pause before the next connection. */
let wake: (() => void) | undefined
/** Since the service was heard last, here or by the tab that reads. */
const silence = createStopwatch()
const sinceNotified = createStopwatch()

/** Follows the stream from any tab; the result stops it. */
export function onNews(listener: (news: News) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const tell = (news: News): void => {
  for (const listener of listeners) listener(news)
}

function setState(isLive: boolean, since = serviceNow()): void {
  if (live.get().isLive === isLive) return
  live.set(isLive ? { isLive } : { isLive, since, isBeginning: false })
  if (isReader) reportState()
}

/** Other tabs know by it that this one reads; they take its place when they hear nothing. */
function reportState(): void {
  sinceNotified.restart()
  tabs.postMessage({ state: live.get() } satisfies Message)
}

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'hello') {
    if (isReader) {
      reportState()
      reportPrices()
    } else reportSymbols(ownSymbols())
    return
  }
  if ('tab' in data) return noteTab(data.tab, data.symbols)
  if ('news' in data) {
    // Whichever tab reads next goes on after it.
    lastEventId = data.id ?? lastEventId
    tell(data.news)
  }
  if (isReader) return
  silence.restart()
  if ('state' in data) live.set(data.state)
})

const reportSymbols = (symbols: readonly string[]): void =>
  tabs.postMessage({ tab: thisTab, symbols } satisfies Message)

/** Goes on with a connection that tells of all that is looked at, once something is that the present one does not tell of. */
function followSymbols(): void {
  const isMissing = allSymbols().some((symbol) => !followed.has(symbol))
  if (!isReader || !line || !isMissing) return
  isChanging = true
  connectAnew()
}

/** What a connection has told of is followed, whoever looks at it. */
function notePrices({ name, data }: News): void {
  if (name !== 'quotes') return
  const { accountIds, quotes } = data as { accountIds: string[]; quotes: { symbol: string }[] }
  const known = prices.get(accountIds.join()) ?? { accountIds, quotes: new Map<string, { symbol: string }>() }
  prices.set(accountIds.join(), known)
  for (const quote of quotes) {
    followed.add(quote.symbol)
    known.quotes.set(quote.symbol, quote)
  }
}

/** A price that does not change is not told again by the service. */
function reportPrices(): void {
  for (const { accountIds, quotes } of prices.values()) {
    const data = { accountIds, quotes: [...quotes.values()] }
    tabs.postMessage({ news: { name: 'quotes', data }, id: undefined } satisfies Message)
  }
}

/**
 * One stream a browser, because a browser opens six connections to a host at most: the tab that holds the lock
 * reads, and tells the others. When it closes, the next one takes over; when the browser has put it to sleep, a tab
 * that a person looks at takes the lock away from it.
 */
export function startLive(): void {
  silence.restart()
  tabs.postMessage('hello' satisfies Message)
  setTimeout(() => {
    const state = live.get()
    if (!state.isLive) live.set({ ...state, isBeginning: false })
    // The tab that holds the lock answers at once unless it sleeps.
    if (!isReader && silence.milliseconds() >= BEGINNING_MS) takeTurn()
  }, BEGINNING_MS)
  setInterval(listenAgain, 1_000)
  document.addEventListener('visibilitychange', () => {
    listenAgain()
    if (document.visibilityState === 'visible') wake?.()
  })
  let looked: ReturnType<typeof setTimeout> | undefined
  onLookedAt(() => {
    clearTimeout(looked)
    looked = setTimeout(followSymbols, NAMING_PAUSE_MS)
    if (!isReader) reportSymbols(ownSymbols())
  })
  globalThis.addEventListener('pagehide', () => reportSymbols([]))
  globalThis.addEventListener('pageshow', () => reportSymbols(ownSymbols()))
  globalThis.addEventListener('offline', connectAnew)
  globalThis.addEventListener('online', connectAnew)
  session.subscribe(() => {
    if (session.get().is !== 'out') return
    // Who signs in next may be another person.
    lastEventId = undefined
    connectAnew()
  })
  waitForTurn()
}

function connectAnew(): void {
  line?.abort()
  wake?.()
}

/** Gives up what has been silent for too long: the own connection, or the tab that reads for all. */
function listenAgain(): void {
  const ms = silence.milliseconds()
  if (ms <= SILENCE_MS) return
  setState(false, serviceNow() - ms)
  if (isReader) line?.abort()
  else takeTurn()
}

let turn = new AbortController()

/** Reads as soon as no other tab does. */
function waitForTurn(): void {
  const signal = newTurn()
  if (!('locks' in navigator)) return void readUntil(signal)
  navigator.locks.request('live', { signal }, () => readUntil(signal)).catch(() => afterTurn(signal))
}

/** Reads in the place of the tab that does; only where a person looks, so that tabs do not take it from each other. */
function takeTurn(): void {
  if (document.visibilityState !== 'visible' || !('locks' in navigator)) return
  silence.restart()
  const signal = newTurn()
  navigator.locks.request('live', { steal: true }, () => readUntil(signal)).catch(() => afterTurn(signal))
}

function newTurn(): AbortSignal {
  turn.abort()
  turn = new AbortController()
  return turn.signal
}

/** Another tab has taken the lock away, unless this one has asked for it in another way. */
function afterTurn(signal: AbortSignal): void {
  if (!signal.aborted) waitForTurn()
}

async function readUntil(end: AbortSignal): Promise<void> {
  isReader = true
  end.addEventListener('abort', () => {
    isReader = false
    connectAnew()
  })
  reportState()
  // The others tell what they look at.
  tabs.postMessage('hello' satisfies Message)
  let pause = RECONNECT_PAUSE_MS
  while (!end.aborted) {
    if (session.get().is === 'in') {
      isChanging = false
      const wasLive = await readOnce(end).catch(() => false)
      if (end.aborted) return
      if (isChanging && wasLive) continue
      setState(false)
      pause = wasLive ? RECONNECT_PAUSE_MS : Math.min(pause * 2, MAX_RECONNECT_PAUSE_MS)
    }
    if (sinceNotified.milliseconds() > TELL_MS) reportState()
    // Spread, so that browsers do not all come back at once when the service does.
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    await until(pause * (0.5 + byte! / 510))
  }
}

/** Waits so long, or until the device is back on the network. */
const until = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })

/** Reads one connection until it ends; resolves with whether it ever spoke. */
async function readOnce(end: AbortSignal): Promise<boolean> {
  const token = await accessToken()
  // A renewal that was answered after the sign-out brings a token, but nobody is told news by it.
  if (token === null || end.aborted || claimsOf(token).sid !== heldSession()) return false
  const abort = new AbortController()
  line = abort
  silence.restart()
  let spoke = false
  const parser = createParser({
    onEvent({ id, event = 'message', data }) {
      if (id !== undefined) lastEventId = id
      if (event === 'end') return abort.abort()
      const news: News = { name: event, data: JSON.parse(data) as unknown }
      notePrices(news)
      tell(news)
      tabs.postMessage({ news, id } satisfies Message)
    },
  })
  const symbols = allSymbols()
  followed.clear()
  prices.clear()
  for (const symbol of symbols) followed.add(symbol)
  const query = new URLSearchParams({
    topics: TOPICS,
    ...(symbols.length > 0 && { symbols: symbols.join(',') }),
  })
  try {
    const response = await fetch(`/api/v1/events?${query.toString()}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      },
      signal: abort.signal,
    })
    if (response.status === 401) await accessToken(token)
    if (!response.ok || !response.body) return false
    const texts = response.body.pipeThrough(new TextDecoderStream())
    const reader = texts.getReader()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return spoke
      silence.restart()
      noteContact()
      spoke = true
      setState(true)
      if (sinceNotified.milliseconds() > TELL_MS) reportState()
      parser.feed(value)
    }
  } catch {
    // Ended by this side, or the line broke: both lead to the next attempt.
    return spoke
  } finally {
    // By now it may be that of a later turn.
    if (line === abort) line = undefined
  }
}
