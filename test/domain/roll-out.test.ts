import assert from 'node:assert/strict'
import {
  buildToGoBackTo,
  buildToRollOut,
  RollOutRefused,
  type Build,
  type RollOut,
} from '#domain/roll-out.ts'

const build = (id: string, changes: Partial<Build> = {}): Build => ({
  id,
  state: 'idle',
  workers: 1,
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

const first = build('aaaa1111', { state: 'current', promotedAt: '2026-11-20T10:00:00.000Z' })
const second = build('bbbb2222')

describe('the build that is rolled out', () => {
  it('is the only one with workers beside the current one', () => {
    assert.equal(buildToRollOut(rollOut(first, second), undefined), second)
  })
  it('is the one that ramps, where one does', () => {
    const ramping = build('cccc3333', { state: 'ramping' })
    assert.equal(buildToRollOut(rollOut(first, second, ramping), undefined), ramping)
  })
  it('is the current one where that only stands in for one without workers', () => {
    const standIn = build('cccc3333', { state: 'current' })
    assert.equal(buildToRollOut(rollOut(standIn, second), undefined), standIn)
  })
  it('is the named one, by the beginning of its id', () => {
    assert.equal(buildToRollOut(rollOut(first, second), 'bbbb'), second)
  })
  it('has to be named where several have workers, and has to be known, and one', () => {
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
  it('has workers', () => {
    const without = build('bbbb2222', { workers: 0 })
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, without), undefined)),
      /No worker of another build/,
    )
    assert.match(
      refusal(() => buildToRollOut(rollOut(first, without), 'bbbb2222')),
      /No worker of build bbbb2222 runs/,
    )
  })
})

describe('the build that takes the tasks back', () => {
  it('is the current one where another ramps', () => {
    const ramping = build('bbbb2222', { state: 'ramping' })
    assert.deepEqual(buildToGoBackTo(rollOut(first, ramping)), { from: ramping, to: first })
  })
  it('is otherwise the one that was promoted last before the current one', () => {
    const older = build('0000', { promotedAt: '2026-11-18T10:00:00.000Z' })
    const before = build('aaaa1111', { promotedAt: '2026-11-20T10:00:00.000Z' })
    const now = build('bbbb2222', { state: 'current', promotedAt: '2026-11-22T10:00:00.000Z' })
    assert.deepEqual(buildToGoBackTo(rollOut(older, now, before, second)), { from: now, to: before })
  })
  it('has workers, and there has to be one', () => {
    const now = build('bbbb2222', { state: 'current', promotedAt: '2026-11-22T10:00:00.000Z' })
    const before = build('aaaa1111', { promotedAt: '2026-11-20T10:00:00.000Z', workers: 0 })
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(now, before))),
      /No worker of build aaaa1111 runs/,
    )
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(now, build('cccc')))),
      /nothing to go back to/,
    )
    assert.match(
      refusal(() => buildToGoBackTo(rollOut(second))),
      /nothing to go back from/,
    )
  })
})
