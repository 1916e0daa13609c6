import assert from 'node:assert/strict'
import {
  buildToGoBackTo,
  buildToPromote,
  buildToRollOut,
  RollOutRefused,
  type Build,
  type RollOut,
} from '#domain/roll-out.ts'

const build = (id: string, changes: Partial<Build> = {}): Build => ({
  id,
  state: 'idle',
  workers: 1,
  firstSeenAt: '2026-11-21T10:00:00.000Z',
  wasRolledOut: false,
  promotedAt: null,
  ...changes,
})
const rollOut = (...builds: Build[]): RollOut => ({ builds, percent: 0 })
const refusal = (step: () => unknown): string => {
  try {
    step()
  } catch (error) {
    assert.ok(error instanceof RollOutRefused)
    return error.message
  }
  return 'not refused'
}

const first = build('aaaa1111', {
  state: 'current',
  firstSeenAt: '2026-11-20T09:00:00.000Z',
  wasRolledOut: true,
  promotedAt: '2026-11-20T10:00:00.000Z',
})
const second = build('bbbb2222')

describe('the build that is rolled out', () => {
  it('the build that is rolled out is the only one with workers beside the current one', () => {
    assert.equal(buildToRollOut(rollOut(first, second), undefined), second)
  })
  it('the build that is rolled out is the one that ramps, where one does', () => {
    const ramping = build('cccc3333', { state: 'ramping' })
    assert.equal(buildToRollOut(rollOut(first, second, ramping), undefined), ramping)
  })
  it('the build that is rolled out is the current one where that only stands in for one without workers', () => {
    const standIn = build('cccc3333', { state: 'current' })
    assert.equal(buildToRollOut(rollOut(standIn, second), undefined), standIn)
  })
  it('the build that is rolled out is the named one, by the beginning of its id', () => {
    assert.equal(buildToRollOut(rollOut(first, second), 'bbbb'), second)
  })
  it('the build that is rolled out has to be named where several have workers, and has to be known, and one', () => {
    const third = build('bbbb3333')
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, second, third), undefined)),
      /name one of bbbb2222, bbbb3333/,
    )
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, second), 'eeee')),
      /knows no build eeee; it knows aaaa1111, bbbb2222/,
    )
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, second, third), 'bbbb')),
      /Several builds begin with bbbb/,
    )
  })
  it('the build that is rolled out is not one that came before the current one, named or not: going back is another step', () => {
    const before = build('0000', {
      firstSeenAt: '2026-11-18T09:00:00.000Z',
      wasRolledOut: true,
      promotedAt: '2026-11-18T10:00:00.000Z',
    })
    // It ramped once, and was given up.
    const givenUp = build('1111', { firstSeenAt: '2026-11-19T09:00:00.000Z', wasRolledOut: true })
    assert.match(
      refusal(() => buildToRollOut(rollOut(before, givenUp, first), undefined)),
      /No worker of a newer build than aaaa1111, which takes all tasks, runs/,
    )
    for (const { id } of [before, givenUp])
      assert.match(
        refusal(() => buildToRollOut(rollOut(before, givenUp, first), id)),
        new RegExp(`${id} is older than aaaa1111.*deploy back`),
      )
    assert.equal(buildToRollOut(rollOut(before, givenUp, first, second), undefined), second)
  })
  it('the build that is rolled out is one that was promoted later, though its workers came to a new Temporal first', () => {
    const later = build('bbbb2222', {
      firstSeenAt: '2026-11-20T08:00:00.000Z',
      promotedAt: '2026-11-21T10:00:00.000Z',
    })
    assert.equal(buildToRollOut(rollOut(first, later), undefined), later)
  })
  it('the build that is rolled out is not promoted while another one takes a part of the tasks', () => {
    const ramping = build('cccc3333', { state: 'ramping' })
    assert.match(
      refusal(() => buildToPromote(rollOut(first, second, ramping), second.id)),
      /cccc3333 takes a part of the tasks.*deploy back/,
    )
    assert.equal(buildToPromote(rollOut(first, second, ramping), undefined), ramping)
  })
  it('the build that is rolled out has workers', () => {
    const without = build('bbbb2222', { workers: 0 })
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, without), undefined)),
      /No worker of a newer build than aaaa1111/,
    )
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, without), 'bbbb2222')),
      /No worker of build bbbb2222 runs/,
    )
  })
})

describe('the build that takes the tasks back', () => {
  const ofDay = (day: number, id: string, changes: Partial<Build> = {}) =>
    build(id, {
      firstSeenAt: `2026-11-${day}T09:00:00.000Z`,
      wasRolledOut: true,
      promotedAt: `2026-11-${day}T10:00:00.000Z`,
      ...changes,
    })
  const [older, before] = [ofDay(18, '0000'), ofDay(20, 'aaaa1111')]
  const now = ofDay(22, 'bbbb2222', { state: 'current' })

  it('the build that takes the tasks back is the current one where another ramps', () => {
    const ramping = build('bbbb2222', { state: 'ramping' })
    assert.deepEqual(buildToGoBackTo(rollOut(first, ramping), undefined), { from: ramping, to: first })
    assert.deepEqual(buildToGoBackTo(rollOut(first, ramping), first.id), { from: ramping, to: first })
  })
  it('the build that takes the tasks back is otherwise the one that was promoted last before the current one', () => {
    assert.deepEqual(buildToGoBackTo(rollOut(older, now, before, second), undefined), {
      from: now,
      to: before,
    })
  })
  it('the build that takes the tasks back has them already where it is named and has, as when the command is repeated', () => {
    assert.deepEqual(buildToGoBackTo(rollOut(older, now, before), now.id), { from: null, to: now })
  })
  it('the build that takes the tasks back is named where tasks of a newer build were taken back already', () => {
    const takenBack = ofDay(23, 'cccc3333', { promotedAt: null })
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(before, now, takenBack), undefined)),
      /bbbb2222 has taken the tasks of cccc3333 back already. To go back further, to aaaa1111, name it/,
    )
    assert.deepEqual(buildToGoBackTo(rollOut(before, now, takenBack), before.id), { from: now, to: before })
    const neverRolledOut = ofDay(23, 'cccc3333', { promotedAt: null, wasRolledOut: false })
    assert.deepEqual(buildToGoBackTo(rollOut(before, now, neverRolledOut), undefined).to, before)
  })
  it('the build that takes the tasks back is not any that is named', () => {
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(older, before, now), older.id)),
      /aaaa1111 is the one to go back to, not 0000/,
    )
  })
  it('the build that takes the tasks back has workers, and there has to be one', () => {
    const gone = ofDay(20, 'aaaa1111', { workers: 0 })
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(now, gone), undefined)),
      /No worker of build aaaa1111 runs/,
    )
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(now, build('cccc')), undefined)),
      /nothing to go back to/,
    )
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(second), undefined)),
      /nothing to go back from/,
    )
  })
})
