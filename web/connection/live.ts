import { createParser } from 'eventsource-parser'
import { accessToken, heldSession, session, claimsOf } from './session.ts'
import { serviceNow } from './clock.ts'
import { noteContact } from './contact.ts'
import { allSymbols, noteTab, onLookedAt, ownSymbols } from './looked-at.ts'
import { createStopwatch } from './stopwatch.ts'
import { createStore, useStore } from './store.ts'

/** Whether events arrive at once, and otherwise since when not. */
export type LiveState =
  | { isLive: true }
  | {
      isLive: false
      since: number
      isBeginning: boolean
    }
export interface News {
  name: string
  data: unknown
}

type Message =
  | { news: News; id: string | undefined }
  | { state: LiveState }
  | { tab: string; symbols: readonly string[] }
  | 'hello'

/** Milliseconds of silence after which a connection is dead: the service sends something every 15 s. */
const SILENCE_MS = 30_000
/** Milliseconds of initial silence after which a page has no connection. */
const BEGINNING_MS = 5_000
/** Milliseconds between reports of the reading tab to the others. */
const NOTIFY_MS = 5_000
/** Longest pause, in milliseconds; the shortest is half of it, so that browsers do not reconnect together. */
const RECONNECT_PAUSE_MS = 1_000
const MAX_RECONNECT_PAUSE_MS = 15_000
/** Milliseconds in which an opened page collects its symbols. */
const NAMING_PAUSE_MS = 300
/** All records, and the topics sent only on request. */
const TOPICS = 'signals,orders,positions,accounts,alerts,trades,halts,brokers,user,quotes,figures'

/** Instant from which events are missing; null while they arrive, and while a page starts to listen. */
export const silentSince = (state: LiveState): number | null =>
  state.isLive || state.isBeginning ? null : state.since

export const live = createStore<LiveState>({
  isLive: false,
  since: serviceNow(),
  isBeginning: true,
})
export const useIsLive = (): boolean => useStore(live).isLive

const listeners = new Set<(news: News) => void>()
const tabs = new BroadcastChannel('live')
const thisTab = crypto.randomUUID()
let isReader = false
/** Whether this tab reads the stream for all tabs. */
export const isLeading = (): boolean => isReader
let lastEventId: string | undefined
let line: AbortController | undefined
/** Whether a connection for more symbols replaces this one. */
let isChanging = false
/** Symbols that the connection reports, or was asked for. */
const followed = new Set<string>()
/** Last prices by accounts and symbol, for tabs that open later. */
const prices = new Map<string, { accountIds: readonly string[]; quotes: Map<string, { symbol: string }> }>()
/** Ends the pause before the next connection. */
let wake: (() => void) | undefined
/** Time since the last message of the service, in any tab. */
const silence = createStopwatch()
const sinceNotified = createStopwatch()

/** Subscribes to stream events in any tab; the result unsubscribes. */
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

/** Reports that this tab reads; in silence other tabs take its place. */
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
    // The next reading tab continues after this event.
    lastEventId = data.id ?? lastEventId
    tell(data.news)
  }
  if (isReader) return
  silence.restart()
  if ('state' in data) live.set(data.state)
})

const reportSymbols = (symbols: readonly string[]): void =>
  tabs.postMessage({ tab: thisTab, symbols } satisfies Message)

/** Opens a connection for all symbols in view when the present one lacks one. */
function followSymbols(): void {
  const isMissing = allSymbols().some((symbol) => !followed.has(symbol))
  if (!isReader || !line || !isMissing) return
  isChanging = true
  connectAgain()
}

/** A reported symbol is followed, whichever tab shows it. */
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

/** Sends prices to the tabs: the service does not repeat an unchanged price. */
function reportPrices(): void {
  for (const { accountIds, quotes } of prices.values()) {
    const data = { accountIds, quotes: [...quotes.values()] }
    tabs.postMessage({ news: { name: 'quotes', data }, id: undefined } satisfies Message)
  }
}

/**
 * Starts one stream per browser, which opens at most six connections to a host: the tab with the lock reads and informs
 * the others. When it closes, the next one takes the lock; when the browser puts it to sleep, a visible tab steals it.
 */
export function startLive(): void {
  silence.restart()
  tabs.postMessage('hello' satisfies Message)
  setTimeout(() => {
    const state = live.get()
    if (!state.isLive) live.set({ ...state, isBeginning: false })
    // The tab with the lock answers at once unless it sleeps.
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
  globalThis.addEventListener('offline', connectAgain)
  globalThis.addEventListener('online', connectAgain)
  session.subscribe(() => {
    if (session.get().is !== 'out') return
    // The next sign-in may be another person's.
    lastEventId = undefined
    connectAgain()
  })
  waitForTurn()
}

function connectAgain(): void {
  line?.abort()
  wake?.()
}

/** Abandons a connection or reading tab after too long a silence. */
function listenAgain(): void {
  const ms = silence.milliseconds()
  if (ms <= SILENCE_MS) return
  setState(false, serviceNow() - ms)
  if (isReader) line?.abort()
  else takeTurn()
}

let turn = new AbortController()

/** Reads once no other tab does. */
function waitForTurn(): void {
  const signal = newTurn()
  if (!('locks' in navigator)) return void readUntil(signal)
  navigator.locks.request('live', { signal }, () => readUntil(signal)).catch(() => afterTurn(signal))
}

/** Takes the lock from the reading tab; only when visible, so that tabs do not steal it from each other. */
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

/** Waits for the lock again, unless this tab asked for it otherwise. */
function afterTurn(signal: AbortSignal): void {
  if (!signal.aborted) waitForTurn()
}

async function readUntil(end: AbortSignal): Promise<void> {
  isReader = true
  end.addEventListener('abort', () => {
    isReader = false
    connectAgain()
  })
  reportState()
  // Other tabs answer with their symbols.
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
    if (sinceNotified.milliseconds() > NOTIFY_MS) reportState()
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    await until(pause * (0.5 + byte! / 510))
  }
}

/** Waits, at most until the device is back on the network. */
const until = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })

/** Reads one connection until it ends; resolves with whether it received anything. */
async function readOnce(end: AbortSignal): Promise<boolean> {
  const token = await accessToken()
  // A token renewed after the sign-out must not open the stream.
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
      if (sinceNotified.milliseconds() > NOTIFY_MS) reportState()
      parser.feed(value)
    }
  } catch {
    // Ended by this side or broken: both lead to the next attempt.
    return spoke
  } finally {
    // By now it may be a later connection.
    if (line === abort) line = undefined
  }
}
