import assert from 'node:assert/strict'
import { focusManager, QueryClient, QueryObserver } from '@tanstack/react-query'
import fc from 'fast-check'
import { keepFresh } from '#web/connection/fresh.ts'
import type { OldBy } from '#web/connection/old-by.ts'

const PAUSE_MS = 2
/** Several lists of one topic, one that takes it over while it is shown, and one that has a record of its own. */
const ROWS: readonly OldBy[] = [
  { key: ['orders'], by: ['order'] },
  { key: ['orders', 'one'], by: ['order'], isOfOne: true },
  { key: ['agenda'], by: ['order', 'signal'] },
  { key: ['queue'], taken: ['signal'], isReadHidden: true },
]
const KEYS = [
  ['orders', 'list'],
  ['orders', 'working'],
  ['orders', 'one', 'a'],
  ['agenda'],
  ['queue'],
] as const
const isOf = (key: readonly string[], name: string): boolean =>
  name === 'order' ? key[0] !== 'queue' : key[0] === 'queue' || key[0] === 'agenda'
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

type Step =
  | { does: 'mount' | 'unmount'; list: number }
  | { does: 'news'; name: 'order' | 'signal' }
  | { does: 'wait' | 'hide' | 'show' | 'lose' | 'resume' | 'begin again' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constantFrom('mount', 'unmount'), list: fc.nat(KEYS.length - 1) }),
  fc.record({ does: fc.constant('news'), name: fc.constantFrom('order', 'signal') }),
  fc.record({ does: fc.constantFrom('wait', 'hide', 'show', 'lose', 'resume', 'begin again') }),
)

/** The service, its stream, and the pages of one tab. An answer is of the time when its reading began, and comes later. */
function stage(answerMs: readonly number[]) {
  let isShown = true
  focusManager.setFocused(true)
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: 30_000, retry: false } } })
  client.mount()
  const fresh = keepFresh(client, {
    rows: ROWS,
    isLookedAt: () => isShown,
    pauseMs: PAUSE_MS,
    retryMs: PAUSE_MS,
  })
  const now = { order: 0, signal: 0 }
  const stateOf = (key: readonly string[]): number =>
    (isOf(key, 'order') ? now.order : 0) + (isOf(key, 'signal') ? now.signal : 0)
  let readings = 0
  const observers = KEYS.map(
    (key) =>
      new QueryObserver<number>(client, {
        queryKey: key,
        queryFn: async () => {
          const told = stateOf(key)
          await wait(answerMs[readings++ % answerMs.length]!)
          return told
        },
      }),
  )
  const leave = new Map<number, () => void>()
  let isConnected = true
  let missed: ('order' | 'signal')[] = []
  const tell = (name: 'order' | 'signal'): void => {
    fresh.tell({ name, data: { id: 'a' } })
    // The application takes it over, whether or not a page shows it.
    if (name === 'signal')
      client.setQueryData<number>(['queue'], (known) => (known === undefined ? known : stateOf(['queue'])))
  }
  const take: Record<Step['does'], (step: Step) => unknown> = {
    mount: (at) =>
      'list' in at &&
      !leave.has(at.list) &&
      leave.set(
        at.list,
        observers[at.list]!.subscribe(() => {}),
      ),
    unmount: (at) => {
      if (!('list' in at)) return
      leave.get(at.list)?.()
      leave.delete(at.list)
    },
    news: (at) => {
      if (!('name' in at)) return
      now[at.name] += 1
      if (isConnected) tell(at.name)
      else missed.push(at.name)
    },
    wait: () => wait(PAUSE_MS + 1),
    hide: () => {
      isShown = false
      focusManager.setFocused(false)
    },
    show: () => {
      isShown = true
      focusManager.setFocused(true)
    },
    lose: () => (isConnected = false),
    resume: () => {
      if (isConnected) return
      isConnected = true
      fresh.tell({ name: 'ready', data: { topics: [], isResumed: true } })
      // A record that changed often comes once, as it is now.
      for (const name of new Set(missed.splice(0))) tell(name)
    },
    'begin again': () => {
      if (isConnected) return
      isConnected = true
      missed = []
      fresh.tell({ name: 'reset', data: {} })
    },
  }
  const end = (): void => {
    client.clear()
    client.unmount()
    fresh.stop()
  }
  return {
    client,
    take,
    tell: fresh.tell,
    observers,
    stateOf,
    end,
  }
}

describe('what the web app shows, after news', function () {
  this.timeout(120_000)

  it('what the web app shows, after news, is never older than the last news once all is quiet, after anything mounted, hidden, lost or read meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }),
        async (steps, answerMs) => {
          const { client, take, observers, stateOf, end } = stage(answerMs)
          for (const at of steps) await take[at.does](at)
          await take.resume({ does: 'resume' })
          await take.show({ does: 'show' })
          for (const list of KEYS.keys()) await take.mount({ does: 'mount', list })
          for (let look = 0; look < 200 && (client.isFetching() > 0 || look < 4); look++)
            await wait(PAUSE_MS * 2)
          const shown = observers.map((observer) => observer.getCurrentResult().data)
          end()
          assert.deepEqual(shown, KEYS.map(stateOf))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('what the web app shows, after news, is not read again while no person looks, and at once when one comes back', async () => {
    const { take, end, client, observers, stateOf } = stage([1])
    await take.mount({ does: 'mount', list: 0 })
    await wait(20)
    await take.hide({ does: 'hide' })
    await take.news({ does: 'news', name: 'order' })
    await wait(20)
    assert.equal(observers[0]!.getCurrentResult().data, 0)
    assert.equal(client.isFetching(), 0)
    await take.show({ does: 'show' })
    await wait(20)
    assert.equal(observers[0]!.getCurrentResult().data, stateOf(KEYS[0]))
    end()
  })

  it('what the web app shows, after news, is not read for news of another record where it shows one', async () => {
    const { client, tell, take, end } = stage([1])
    await take.mount({ does: 'mount', list: 2 })
    await wait(20)
    tell({ name: 'order', data: { id: 'another' } })
    assert.equal(client.isFetching(), 0)
    tell({ name: 'order', data: { id: 'a' } })
    assert.equal(client.isFetching(), 1)
    end()
  })
})
