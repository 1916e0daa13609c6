import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { mapLimit } from '#domain/async/map-limit.ts'
import { describeApi } from '#api/openapi/document.ts'
import { ROUTES } from '#api/routes.ts'
import { buyNow } from '#test/service/sent-signal.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Stack } from '#test/support/stack.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { differences, laidOut } from './layout.ts'
import { Player } from './player.ts'
import { SUBJECTS } from './subjects.ts'

const FOLDER = join(import.meta.dirname, 'answers')
/** An order works only after the answer to its submission, and fills long after that to its sender: else by chance. */
const PACE = [
  { on: 'fill', mode: 'delay', delayMs: 800 },
  { on: 'stream', mode: 'reorder' },
]
/** Subjects that are played beside each other: each has a user and symbols of its own. */
const AT_ONCE = 5
const isRecorded = process.env['RECORD_ANSWERS'] !== undefined

/** Holds a text against its file, or writes the file anew. */
function assertAsRecorded(file: string, text: string): void {
  const path = join(FOLDER, file)
  const isPacked = file.endsWith('.gz')
  if (isRecorded) {
    mkdirSync(FOLDER, { recursive: true })
    writeFileSync(path, isPacked ? gzipSync(text, { level: 9 }) : text)
  }
  const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0)
  const recorded = (isPacked ? gunzipSync(bytes) : bytes).toString()
  assert.deepEqual(differences(text, recorded), [])
}

/** The first order and the first signal of a process take so long that they are answered before their broker is. */
async function warmUp(stack: Stack): Promise<void> {
  const { api, accountId } = stack
  const order = { accountId, symbol: 'ZTWARM', side: 'BUY', orderType: 'MARKET', quantity: 1 }
  const { body } = await api.post('/orders', order)
  const sent = await api.post('/signals', buyNow(stack, { symbol: 'ZTWARM' }))
  await eventually(async () =>
    assert.equal((await api.get(`/orders/${body.order.id}`)).body.status, 'FILLED'),
  )
  await eventually(async () =>
    assert.equal((await api.get(`/signals/${sent.body.signal.id}`)).body.data.filledQuantity, 10),
  )
}

describe('the recorded answers of the API', function () {
  this.timeout(180_000)
  const live = { LIVE_TRADING: 'enabled' }
  // Long enough for a busy machine.
  const api = { ...live, SIGNAL_ANSWER_DEADLINE_MS: '25000' }
  const service = useStack({ api, worker: live })
  const played = new Map<string, { player: Player; error?: unknown }>()
  before(async () => {
    const { stack } = service
    await stack.venue.script(PACE)
    await warmUp(stack)
    // All at once, because the worker looks for new accounts every five seconds.
    const users = new Map(
      await Promise.all(
        Object.keys(SUBJECTS).map(async (subject) => [subject, await stack.forAnotherUser()] as const),
      ),
    )
    await mapLimit(AT_ONCE, Object.entries(SUBJECTS), async ([subject, play]) => {
      const player = await Player.of(users.get(subject)!)
      played.set(subject, { player })
      await play(player).catch((error: unknown) => played.set(subject, { player, error }))
    })
  })

  for (const subject of Object.keys(SUBJECTS))
    it(`the recorded answers about ${subject} are those that are given (RECORD_ANSWERS=1 records them again)`, () => {
      const { player, error } = played.get(subject)!
      if (error !== undefined) throw new Error(`after ${player.last}`, { cause: error })
      assertAsRecorded(`${subject}.txt`, player.record)
    })

  it('the recorded answers are of every route but that of the description', () => {
    const asked = [...played.values()].flatMap(({ player }) => player.asked)
    const patterns = ROUTES.map(({ name }) => ({
      name,
      fits: new RegExp(`^${name.replace(/:\w+/g, '[^/]+')}$`),
    }))
    const left = patterns.filter(({ fits }) => !asked.some((request) => fits.test(request)))
    assert.deepEqual(
      left.map(({ name }) => name),
      ['GET /openapi.json'],
    )
  })

  it('the recorded description of the API is the one that is given (RECORD_ANSWERS=1 records it again)', () => {
    assertAsRecorded('openapi.json.gz', `${laidOut(describeApi(ROUTES))}\n`)
  })
})
