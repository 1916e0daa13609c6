import assert from 'node:assert/strict'
import { closeAfter, timesAt, untilRunFits } from './timing.ts'

const at = (text: string): number => Date.parse(text)
const MINUTE = 60_000

describe('the sessions of a chaos run', () => {
  it('end in the first full minute 50 minutes after its beginning', () => {
    const close = { local: '11:51', at: at('2026-11-24T16:51:00Z') }
    assert.deepEqual(closeAfter(at('2026-11-24T16:00:30Z')), close)
  })

  it('end in the last minute of the day late in the evening, as the calendar says', () => {
    const close = { local: '23:59', at: at('2026-11-25T04:59:00Z') }
    for (const now of ['2026-11-25T04:10:00Z', '2026-11-25T04:58:13Z'])
      assert.deepEqual(closeAfter(at(now)), close)
  })

  it('the sessions of a chaos run are waited for until midnight by a run that would not end before the close', () => {
    const length = 4 * MINUTE
    assert.equal(untilRunFits(at('2026-11-24T16:00:30Z'), length), 0)
    assert.equal(untilRunFits(at('2026-11-25T04:54:59Z'), length), 0)
    assert.equal(untilRunFits(at('2026-11-25T04:55:00Z'), length), 5 * MINUTE)
    assert.equal(untilRunFits(at('2026-11-25T04:59:30Z'), length), MINUTE / 2)
    assert.equal(untilRunFits(at('2026-11-25T05:00:00Z'), length), 0)
  })

  it('the sessions of a chaos run have exits before the close that are due when the oracle awaits them, also late in the evening', () => {
    const now = at('2026-11-25T04:30:10Z')
    const times = timesAt({ exit: { by: 'close', leadMs: 5_000 } }, now, closeAfter(now).at)
    assert.deepEqual(times.fields, { exitTriggerType: 'minutesBeforeClose', exitTriggerMinutes: 28 })
    assert.equal(times.bounds.exitNotBefore, '2026-11-25T04:31:00.000Z')
  })
})
