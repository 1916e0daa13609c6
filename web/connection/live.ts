import { createParser } from 'eventsource-parser'
import { accessToken, session } from '../session/session.ts'
import { serviceNow } from './clock.ts'
import { noteContact } from './contact.ts'
import { createStore } from './store.ts'

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

type Message = { news: News } | { state: LiveState } | 'hello'

/** The service says something every 15 s; twice that in silence is a dead line. */
const SILENCE_MS = 30_000
/** A page that hears nothing for so long from its beginning has no connection. */
const BEGINNING_MS = 5_000
const PAUSE_MS = 1_000
const MAX_PAUSE_MS = 15_000

/** Since when news are missing; null while they arrive, and while a page has only begun to listen. */
export const silentSince = (state: LiveState): number | null =>
  state.isLive || state.isBeginning ? null : state.since

export const live = createStore<LiveState>({
  isLive: false,
  since: serviceNow(),
  isBeginning: true,
})
const listeners = new Set<(news: News) => void>()
const tabs = new BroadcastChannel('live')
let isReader = false
let lastEventId: string | undefined
let lastHeard = 0
let dropLine: (() => void) | undefined

/** Follows the stream from any tab; the result stops it. */
export function onNews(listener: (news: News) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const tell = (news: News): void => {
  for (const listener of listeners) listener(news)
}

function setState(isLive: boolean): void {
  if (live.get().isLive === isLive) return
  live.set(isLive ? { isLive } : { isLive, since: serviceNow(), isBeginning: false })
  tabs.postMessage({ state: live.get() } satisfies Message)
}

tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
  if (data === 'hello') {
    if (isReader) tabs.postMessage({ state: live.get() } satisfies Message)
  } else if ('news' in data) tell(data.news)
  else if (!isReader) live.set(data.state)
})

/**
 * One stream a browser, because a browser opens six connections to a host at most: the tab that holds the lock
 * reads, and tells the others. When it closes, the next one takes over.
 */
export function startLive(): void {
  tabs.postMessage('hello' satisfies Message)
  setTimeout(() => {
    const state = live.get()
    if (!state.isLive) live.set({ ...state, isBeginning: false })
  }, BEGINNING_MS)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && isReader && performance.now() - lastHeard > SILENCE_MS)
      dropLine?.()
  })
  globalThis.addEventListener('offline', () => dropLine?.())
  globalThis.addEventListener('online', () => dropLine?.())
  if ('locks' in navigator) void navigator.locks.request('live', readForEver)
  else void readForEver()
}

async function readForEver(): Promise<never> {
  isReader = true
  let pause = PAUSE_MS
  for (;;) {
    if (session.get().is === 'in') {
      const wasLive = await readOnce().catch(() => false)
      setState(false)
      pause = wasLive ? PAUSE_MS : Math.min(pause * 2, MAX_PAUSE_MS)
    }
    await until(pause)
  }
}

/** Waits so long, or until the device is back on the network. */
const until = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    dropLine = () => {
      clearTimeout(timer)
      resolve()
    }
  })

/** Reads one connection until it ends; resolves with whether it ever spoke. */
async function readOnce(): Promise<boolean> {
  const token = await accessToken()
  if (token === null) return false
  const abort = new AbortController()
  dropLine = () => abort.abort()
  lastHeard = performance.now()
  const watch = setInterval(() => {
    if (performance.now() - lastHeard > SILENCE_MS) abort.abort()
  }, 1_000)
  let spoke = false
  const parser = createParser({
    onEvent({ id, event = 'message', data }) {
      if (id !== undefined) lastEventId = id
      if (event === 'end') return abort.abort()
      const news: News = { name: event, data: JSON.parse(data) as unknown }
      tell(news)
      tabs.postMessage({ news } satisfies Message)
    },
  })
  try {
    const response = await fetch('/api/v1/events', {
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
      lastHeard = performance.now()
      noteContact()
      spoke = true
      setState(true)
      parser.feed(value)
    }
  } catch {
    // Ended by this side, or the line broke: both lead to the next attempt.
    return spoke
  } finally {
    clearInterval(watch)
  }
}
