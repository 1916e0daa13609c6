import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { EVENT_KINDS } from '#domain/alert/channels.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import type { Stack } from '#test/support/stack.ts'
import { startChild } from '../child.ts'
import { drive, machineText, milliseconds, percentile, table, type Measured } from '../measure.ts'
import { numberOption, type Scenario } from '../options.ts'
import { sendSignal, UNBOUNDED, whenClosed } from '../send.ts'
import { withStack } from '../with-stack.ts'
import type { Received } from './receiver.ts'

type Amount = Record<'rounds' | 'signals' | 'events' | 'owners', number>
/** Deliveries a second beside the signals, and those left when the signals had ended. */
type Block = Pick<Measured, 'latencies'> & Record<'rate' | 'left', number>

const RECEIVER = fileURLToPath(new URL('receiver.ts', import.meta.url))
const ENDPOINTS = 20
/** Users in turn: the first is the floor, the second its noise, and only the last one has webhooks. */
const USERS = ['no webhooks', 'no webhooks again', 'no webhooks, backlog', 'webhooks, backlog'] as const

export const events: Scenario<Amount> = {
  about: `Users without webhooks, and one with webhooks for all kinds of events, send signals in turn, one at a time, without and
with a backlog of events that is delivered meanwhile to ${ENDPOINTS} endpoints in a process of its own. A signal of the user with
${ENDPOINTS} webhooks makes about 100 further deliveries. Prints the times of POST /signals.`,
  options: {
    rounds: numberOption('blocks of each user, after one that is not counted', 5),
    signals: numberOption('signals of a block; `ORDER_CAPS` permits 1,000 in a minute', 40, { most: 200 }),
    events: numberOption('events of a backlog for each endpoint; 50 a second are sent', 50, {
      least: 0,
      most: 10_000,
    }),
    owners: numberOption('users who own the endpoints', 1, { most: ENDPOINTS }),
  },
  run: (amount, report) =>
    withStack({ ...UNBOUNDED, OUTGOING_NETWORKS: '127.0.0.0/8' }, async (stack) => {
      const receiver = await startChild(RECEIVER, { ENDPOINTS: String(ENDPOINTS) })
      try {
        return await measure(stack, receiver.ready as string[], amount, report)
      } finally {
        await receiver.stop()
      }
    }),
}

async function measure(stack: Stack, urls: string[], amount: Amount, report: (progress: string) => void) {
  const users = [stack]
  while (users.length < USERS.length + amount.owners - 1) users.push(await stack.forAnotherUser())
  for (const user of users) await liftOrderLimit(user)
  const owners = users.slice(USERS.length - 1)
  for (const [at, url] of urls.entries()) await addWebhook(owners[at % owners.length]!, url)
  const received = async () => (await (await fetch(urls[0]!)).json()) as Received
  const blocks = USERS.map((): Block[] => [])
  for (let round = -1; round < amount.rounds; round += 1)
    for (let turn = 0; turn < USERS.length; turn += 1) {
      const place = (round + 1 + turn) % USERS.length
      report(`round ${round + 1} of ${amount.rounds}: ${USERS[place]!}`)
      const { deliveries: before } = await received()
      if (USERS[place]!.endsWith('backlog') && amount.events > 0) {
        await addBacklog(stack, amount.events)
        await eventually(async () => assert.ok((await received()).deliveries > before))
      }
      const { deliveries: first } = await received()
      let sent = 0
      const call = () => sendSignal(users[place]!, { symbol: `ZTEVENT${lettersOf(sent++ % 10)}` })
      const { latencies, elapsedMs } = await drive(call, amount.signals, 1)
      const { deliveries: last } = await received()
      await untilDelivered(stack)
      const left = (await received()).deliveries - last
      if (round >= 0) blocks[place]!.push({ latencies, rate: ((last - first) * 1_000) / elapsedMs, left })
    }
  const { deliveries, distinct } = await received()
  const count = 'select count(*)::int as written from webhook_events join channels using (user_id)'
  const [{ written }] = (await stack.query(count)) as [{ written: number }]
  const isOnce = deliveries === written && distinct === written
  return [
    `${amount.signals} signals in each of ${amount.rounds} blocks; backlog: ${amount.events} events for each of ${ENDPOINTS} endpoints`,
    machineText(),
    '',
    ...table([
      ['', 'p50', 'p95', 'p50 / floor', 'least', 'most', 'deliveries a second', 'left at the end, least'],
      ...blocks.map((own, place) => [USERS[place]!, ...figuresOf(own, blocks[0]!)]),
    ]),
    '',
    `each of ${written} deliveries received once: ${isOnce ? 'yes' : `no, ${deliveries}, of these ${distinct} different`}`,
  ].join('\n')
}

/** Ratios of each block to the floor's block of its round: median, least, most. */
function figuresOf(blocks: readonly Block[], floor: readonly Block[]): string[] {
  const all = blocks.flatMap(({ latencies }) => latencies)
  const p50 = ({ latencies }: Block) => percentile(latencies, 0.5)
  const ratios = blocks.map((block, round) => p50(block) / p50(floor[round]!))
  return [
    ...[0.5, 0.95].map((share) => milliseconds(percentile(all, share))),
    ...[0.5, 0, 1].map((share) => percentile(ratios, share).toFixed(2)),
    (blocks.reduce((sum, { rate }) => sum + rate, 0) / blocks.length).toFixed(0),
    String(Math.min(...blocks.map(({ left }) => left))),
  ]
}

async function addWebhook(owner: Stack, url: string): Promise<void> {
  const channel = { kind: 'webhook', name: 'journal', settings: { url }, events: EVENT_KINDS }
  const { status, body } = await (await owner.signIn()).post('/channels', channel)
  assert.equal(status, 201, JSON.stringify(body))
}

const addBacklog = (stack: Stack, events: number): Promise<unknown> =>
  stack.query(`insert into webhook_events (user_id, type, data)
    select user_id, 'order.filled', jsonb_build_object('symbol', 'AAPL', 'reason', repeat('x', 400))
    from (select distinct user_id from channels) owners, generate_series(1, ${events})`)

async function untilDelivered(stack: Stack): Promise<void> {
  await whenClosed(stack)
  // Trades are computed once a second.
  await sleep(1_500)
  const left = 'select from webhook_events where not is_spread union all select from outbox limit 1'
  const look = async () => assert.deepEqual(await stack.query(left), [])
  await eventually(look, { within: 3_600_000, every: 250 })
}
