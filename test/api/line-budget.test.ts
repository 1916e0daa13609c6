import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { LineBudget } from '#api/guards/request-head.ts'

describe('the bound on lines of a log', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
  afterEach(() => mock.timers.reset())

  it('lets a hundred lines of a sender through in a minute, and says how many others there were, by kind', () => {
    const told: object[] = []
    const budget = new LineBudget((leftOut) => told.push(leftOut))
    const allowed = (count: number, sender: string, kind: number) =>
      Array.from({ length: count }, () => budget.allows(sender, kind)).filter(Boolean).length
    assert.equal(allowed(150, 'ann', 404), 100)
    assert.equal(allowed(3, 'ann', 429), 0)
    assert.equal(allowed(99, 'ben', 404), 99)
    assert.deepEqual(told, [])
    mock.timers.tick(60_000)
    assert.deepEqual(told, [{ 404: 50, 429: 3 }])
    assert.equal(allowed(150, 'ann', 404), 100)
    mock.timers.tick(60_000)
    assert.deepEqual(told.at(-1), { 404: 50 })
  })

  it('lets a thousand lines of all senders together through, and says nothing of a minute without more', () => {
    const told: object[] = []
    const budget = new LineBudget((leftOut) => told.push(leftOut))
    const allowed = Array.from({ length: 3_000 }, (_, sender) => budget.allows(String(sender), 404))
    assert.equal(allowed.filter(Boolean).length, 1_000)
    mock.timers.tick(60_000)
    budget.allows('ann', 404)
    mock.timers.tick(60_000)
    assert.deepEqual(told, [{ 404: 2_000 }])
  })
})
