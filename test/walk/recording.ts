import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { REPOSITORY } from '#test/architecture/source-files.ts'
import { buyNow, endOf } from '#test/service/sent-signal.ts'
import { eventually } from '#test/support/eventually.ts'
import { Stack } from '#test/support/stack.ts'
import { workflowBundle } from '#test/support/workflow-bundle.ts'

/** Functions by file of the repository: where each begins in the source text. */
type Ran = ReadonlyMap<string, ReadonlySet<number>>

export interface Walk {
  /** Functions that ran in the life of every recorded signal, and neither without one nor for other requests. */
  own: Ran
  /** Functions that ran for at least one of the signals. */
  any: Ran
  /** Functions that ran without a signal, or for other requests. */
  otherwise: Ran
}

interface ScriptRun {
  url: string
  functions: { name: string; at: number }[]
}

const IDLE_MS = 8_000
/** The feed copies positions and balances within seconds after a fill. */
const SETTLE_MS = 5_000
const PATIENCE_MS = 20_000
const SIGNALS = ['ZTWALKA', 'ZTWALKB', 'ZTWALKC']

/**
 * Sends signals with an exit through the whole service as `npm start` sets it up, a worker in the API's process and one
 * beside it, and tells which functions ran for them in API and worker. Takes about a minute.
 */
export async function recordWalk(): Promise<Walk> {
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-walk-'))
  const settings = {
    WALK_FOLDER: folder,
    NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'recorder.ts')).href}`,
  }
  // On a slow machine too the sender waits for its order.
  const api = { ...settings, EMBEDDED_WORKER: 'on', SIGNAL_ANSWER_DEADLINE_MS: String(PATIENCE_MS) }
  const stack = await Stack.start({ api, worker: settings })
  try {
    const { code } = await workflowBundle()
    const placeOf = placesInBundle(code)
    let windows = 0
    const ranInWindow = async (): Promise<Ran> => {
      windows += 1
      await untilWritten(stack, folder, windows)
      return readWindow(folder, windows, placeOf)
    }
    await sleep(IDLE_MS)
    await askOtherwise(stack)
    const before = await ranInWindow()
    // The first of all has work that is done once.
    await live(stack, 'ZTWALK')
    await ranInWindow()
    const lives: Ran[] = []
    for (const symbol of SIGNALS) {
      await live(stack, symbol)
      lives.push(await ranInWindow())
    }
    await sleep(IDLE_MS)
    const otherwise = union([before, await ranInWindow()])
    const any = union(lives)
    const own = select(
      any,
      (file, at) =>
        lives.every((each) => each.get(file)?.has(at)) && !(otherwise.get(file)?.has(at) ?? false),
    )
    return { own, any, otherwise }
  } finally {
    await stack.close()
    rmSync(folder, { recursive: true })
  }
}

/** A signal from its webhook until its exit has closed what it opened, and all that follows has been written. */
async function live(stack: Stack, symbol: string): Promise<void> {
  const exit = { exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 0 }
  const signal = buyNow(stack, { symbol, sourceId: symbol, ...exit })
  const { status, body } = await stack.api.post('/signals', signal, PATIENCE_MS)
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal((await endOf(stack, body.signal.id, { within: 60_000 })).exitFilled, '10')
  await sleep(SETTLE_MS)
}

/**
 * Requests that are no signal: what answers them is no part of the walk, nor what any workflow needs, such as that of a sync,
 * which finds no order yet.
 */
async function askOtherwise(stack: Stack): Promise<void> {
  const sync = await stack.api.post(`/accounts/${stack.accountId}/sync`, {}, PATIENCE_MS)
  assert.equal(sync.status, 200, JSON.stringify(sync.body))
  const { status } = await stack.api.get('/signals')
  assert.equal(status, 200)
  assert.equal((await stack.api.post('/orders', { symbol: 'ZTWALK' })).status, 400)
}

async function untilWritten(stack: Stack, folder: string, window: number): Promise<void> {
  const processes = [stack.parts.api.pid, stack.parts.worker.pid]
  writeFileSync(join(folder, `${window}.over`), '')
  let count = 0
  await eventually(
    async () => {
      const written = readdirSync(folder).filter((file) => file.endsWith(`-${window}.json`))
      const isGrowing = written.length !== count
      count = written.length
      assert.ok(!isGrowing && processes.every((pid) => written.some((file) => file.startsWith(`${pid}-0-`))))
    },
    { within: 20_000, every: 1_000 },
  )
}

function readWindow(folder: string, window: number, placeOf: PlaceOf): Ran {
  const ran = new Map<string, Set<number>>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith(`-${window}.json`)))
    for (const { url, functions } of JSON.parse(readFileSync(join(folder, file), 'utf8')) as ScriptRun[])
      // What bears the name of a file is the wrapper of a module in the bundle.
      for (const { at } of functions.filter(({ name }) => !/^\.*\//.test(name))) {
        const place = url.endsWith('/workflows.js') ? placeOf(at) : placeInModule(url, at)
        if (place) ran.set(place.file, (ran.get(place.file) ?? new Set()).add(place.at))
      }
  return ran
}

interface Place {
  file: string
  at: number
}
type PlaceOf = (at: number) => Place | null

/** Node erases types by spaces, so that an offset in the program is one in the source. The first is the module itself. */
function placeInModule(url: string, at: number): Place | null {
  const top = `${pathToFileURL(REPOSITORY).href}/`
  return at > 0 && url.startsWith(top) ? ours(url.slice(top.length), at) : null
}

function placesInBundle(code: string): PlaceOf {
  const [, encoded] = /sourceMappingURL=data:application\/json;charset=utf-8;base64,([\w+/=]+)\s*$/.exec(
    code,
  )!
  const map = new SourceMap(JSON.parse(Buffer.from(encoded!, 'base64').toString()) as SourceMapPayload)
  const lines = lineStarts(code)
  return (at) => {
    // The bundle's own: a door of a module, or a piece of today's language for older engines.
    if (/^(?:\(\) => \(\/\*|(?:async )?function _)/.test(code.slice(at, at + 20))) return null
    const line = lines.findLastIndex((start) => start <= at)
    const entry = map.findEntry(line, at - lines[line]!)
    if (!('originalSource' in entry) || !entry.originalSource) return null
    const file = relative(REPOSITORY, entry.originalSource)
    if (!ours(file, 0)) return null
    const text = readFileSync(join(REPOSITORY, file), 'utf8')
    const place = lineStarts(text)[entry.originalLine]! + entry.originalColumn
    // What the bundle adds stands, by its map, behind the end of the code before it.
    return /^[\s}]/.test(text.slice(place)) ? null : { file, at: place }
  }
}

const ours = (file: string, at: number): Place | null =>
  /^(?:node_modules|test|\.\.|webpack)\b/.test(file) || !file.endsWith('.ts') ? null : { file, at }

const lineStarts = (text: string): number[] => [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]

function union(all: readonly Ran[]): Ran {
  const found = new Map<string, Set<number>>()
  for (const ran of all)
    for (const [file, places] of ran) found.set(file, new Set([...(found.get(file) ?? []), ...places]))
  return found
}

function select(ran: Ran, holds: (file: string, at: number) => boolean): Ran {
  return new Map(
    [...ran]
      .map(([file, places]) => [file, new Set([...places].filter((at) => holds(file, at)))] as const)
      .filter(([, places]) => places.size > 0),
  )
}
