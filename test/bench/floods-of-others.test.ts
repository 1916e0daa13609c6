import assert from 'node:assert/strict'
import { figuresOf } from './figures.ts'

describe('a benchmark of another person beside short floods', function () {
  this.timeout(300_000)
  interface Answered {
    p95: number
    statuses: Record<string, number>
  }
  interface Flood {
    by: string
    signals: Answered
    halts: Answered
    sent: { kind: string; requests: number; statuses: Record<string, number> }[]
    memory: { before: number; most: number; after: number }
    cpu: number
    logged: number
    stored: number
  }
  let floor: { signals: Answered; halts: Answered }
  let floods: Flood[]
  before(async () => {
    const figures = await figuresOf('beside', '--by', 'all', '--seconds', '2')
    ;({ floor, floods } = figures as { floor: typeof floor; floods: Flood[] })
  })
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((all, count) => all + count, 0)

  it('a benchmark of another person beside short floods has a stranger, one token, ten tokens, one hook, and eighteen hooks of one person send all that they flood with', () => {
    const kinds = floods.map(({ by, sent }) => [by, sent.map(({ kind }) => kind)])
    assert.deepEqual(kinds, [
      ['stranger', ['queries', 'addresses', 'invented tokens', 'unread answers']],
      ['token', ['signals']],
      ['ten-tokens', Array.from({ length: 10 }, () => 'signals')],
      ['hook', ['messages']],
      ['eighteen-hooks', Array.from({ length: 18 }, () => 'messages')],
    ])
    for (const { by, sent } of floods)
      for (const { kind, requests, statuses } of sent) {
        assert.ok(requests > 0, `${by}: ${kind}`)
        assert.equal(sum(statuses), requests, `${by}: ${kind}`)
      }
  })

  it('tells how the signals and halts of each second were answered, without a flood and beside it', () => {
    for (const { signals, halts } of [floor, ...floods]) {
      assert.deepEqual([sum(signals.statuses), sum(halts.statuses)], [2, 4])
      assert.ok(signals.p95 > 0 && halts.p95 > 0)
    }
    const statuses = [floor.signals, floor.halts].flatMap((answered) => Object.keys(answered.statuses))
    assert.ok(
      statuses.every((status) => ['200', '201', '202'].includes(status)),
      statuses.join(),
    )
  })

  it('tells what floods take of memory, logs and ledger', () => {
    for (const { by, memory, cpu, logged } of floods) {
      assert.ok(cpu > 0, by)
      assert.ok(memory.before > 0 && memory.most >= memory.after, by)
      assert.ok(logged > 0, by)
    }
    assert.ok(floods.find(({ by }) => by === 'token')!.stored > 0, 'the signals of a token are stored')
  })
})
