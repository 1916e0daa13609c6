import assert from 'node:assert/strict'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, buyNow, endOf, ordersAtVenue, shown } from '#test/service/sent-signal.ts'

interface Fault {
  mode: 'hang' | 'reset' | '500' | '503' | 'garbage' | '429' | 'late'
  when?: 'before' | 'after'
}
const NAMED: Record<Fault['mode'], string> = {
  hang: 'a silence',
  reset: 'a broken connection',
  '500': 'a 500',
  '503': 'a 503',
  garbage: 'an unreadable body',
  '429': 'a 429',
  late: 'an order that arrives when its sender has given up',
}
/** Longer than the service waits for one answer, so that a silence is a timeout and not a slow answer. */
const HANG_MS = 6_000

const FAULTS: Fault[] = [
  ...(['hang', 'reset', '500', '503', 'garbage', '429'] as const).flatMap((mode) =>
    (['before', 'after'] as const).map((when) => ({ mode, when })),
  ),
  { mode: 'late' },
]
const CASES = FAULTS.flatMap((fault) => (['entry', 'exit'] as const).map((role) => ({ ...fault, role }))).map(
  (each, number) => ({ ...each, symbol: `ZTBRK${lettersOf(number)}` }),
)
const wordsOf = ({ mode, when }: Fault): string =>
  mode === 'late' ? NAMED[mode] : `${NAMED[mode]} ${when} the effect`

/** All cases run at once, each on a symbol of its own; the tests then look at one case each. */
describe('a broker that answers wrongly or not at all', function () {
  this.timeout(60_000)
  // What the order stream hides is found by comparing, which is seldom done otherwise.
  const service = useStack({ worker: { BROKER_POLL_INTERVAL: '3s' } })
  const answers = new Map<string, ApiAnswer>()

  before(async () => {
    const { stack } = service
    const send = async ({ symbol, role }: (typeof CASES)[number]) => {
      await stack.venue.pin(symbol, 100)
      // An exit's case begins with an entry that rests until the script stands.
      const entry = role === 'exit' && { orderType: 'limit', limitPrice: 95, timeInForce: 'gtc' }
      const wish = buyNow(stack, { symbol, ...entry, exitTriggerType: 'immediate' })
      answers.set(symbol, await stack.api.post('/signals', wish))
    }
    const exits = CASES.filter(({ role }) => role === 'exit')
    await Promise.all(exits.map(send))
    // The first orders of a service that has just begun may take longer than an answer waits for them.
    for (const { symbol } of exits)
      await eventually(
        async () =>
          assert.equal((await shown(stack, answers.get(symbol)!.body.signal.id)).status, 'executed'),
        { within: 20_000 },
      )
    const begin = async (cases: typeof CASES) => {
      await stack.venue.script(
        cases.map(({ symbol, mode, when }) => ({
          on: 'submit',
          mode,
          symbol,
          times: 1,
          hangMs: mode === 'late' ? 3_000 : HANG_MS,
          ...(when && { when }),
          ...(mode === '429' && { retryAfterSeconds: 1 }),
        })),
      )
      await Promise.all(
        cases.map((each) => (each.role === 'entry' ? send(each) : stack.venue.pin(each.symbol, 94))),
      )
      await eventually(
        async () => {
          const standing = await stack.venue.activeFaults()
          for (const { symbol } of cases)
            assert.equal(
              standing.find(({ rule }) => rule['symbol'] === symbol)!.hit,
              1,
              `${symbol} is not struck`,
            )
        },
        { within: 25_000 },
      )
    }
    const limited = CASES.filter(({ mode }) => mode === '429')
    const others = CASES.filter((each) => !limited.includes(each))
    await begin(others)
    // A 429 holds all orders of the connection, whose first attempts would send nothing then.
    await begin(limited)
  })

  for (const { symbol, role, ...fault } of CASES)
    it(`gives the ${role} ${wordsOf(fault)}: one entry and one exit all the same`, async () => {
      const { stack } = service
      const { status, body } = answers.get(symbol)!
      assert.ok([201, 202].includes(status), `the sender is never told of a failure: ${JSON.stringify(body)}`)
      const { id } = body.signal
      await assertOneEntryOneExit(stack, id, { within: 40_000 })
      const { body: timeline } = await stack.api.get(`/signals/${id}/events`)
      const kinds: string[] = timeline.data.events.map(({ kind }: { kind: string }) => kind)
      // A 429 says that nothing was placed; after everything else that was not known for a while.
      const wasUnknown = fault.mode !== '429'
      assert.equal(kinds.includes('transmitted'), wasUnknown, kinds.join(' '))
    })

  it('a broker that answers wrongly or not at all is believed by its feed while it cannot be asked for the order: executed, and no second order', async () => {
    const { stack } = service
    const symbol = 'ZTUNKNOWN'
    await stack.venue.script([
      { symbol, on: 'submit', mode: 'reset', when: 'after', times: 1 },
      // No look-up of any order is answered as long as the signal needs one.
      { on: 'lookup', mode: '503' },
    ])
    const { status, body } = await stack.api.post('/signals', buyNow(stack, { symbol }))
    assert.ok([201, 202].includes(status), JSON.stringify(body))
    await eventually(async () => assert.equal((await shown(stack, body.signal.id)).status, 'executed'), {
      within: 10_000,
    })
    await stack.venue.script([])
    await endOf(stack, body.signal.id)
    const signal = await shown(stack, body.signal.id)
    assert.equal(signal.status, 'executed')
    const ledger = await stack.venue.ledger()
    assert.equal(ordersAtVenue(ledger, body.signal.id).length, 1)
    assert.equal(
      ledger.submissions.filter(({ client_order_id }) => client_order_id?.startsWith(body.signal.id)).length,
      1,
      'it was looked up, not sent again',
    )
  })

  for (const mode of ['mute', 'duplicate', 'reorder'])
    it(`a broker that answers wrongly or not at all has an order stream that is not to be trusted (${mode}): the end is found all the same`, async () => {
      const { stack } = service
      const symbol = `ZT${mode.toUpperCase()}`
      await stack.venue.script([{ symbol, on: 'stream', mode }])
      const { body } = await stack.api.post(
        '/signals',
        buyNow(stack, { symbol, exitTriggerType: 'immediate' }),
      )
      await assertOneEntryOneExit(stack, body.signal.id, { within: 50_000 })
    })
})
