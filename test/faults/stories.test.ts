import assert from 'node:assert/strict'
import { RecordingActivities } from '#test/support/recording-activities.ts'
import { STORIES } from './stories.ts'

/** Steps that go wrong elsewhere: made of others, or asked for by a person in a way that no story has. */
const ELSEWHERE = ['attemptEntry', 'recordCancelRequested', 'recordDecisionLapsed']

describe('the stories in which a call goes wrong', () => {
  it('the stories in which a call goes wrong are written for every step of a signal', () => {
    const told = Object.values(STORIES).flatMap(({ calls }) => calls.map((call) => call.split(' ')[0]!))
    const steps = Object.keys(new RecordingActivities().activities)
    assert.deepEqual(steps.filter((step) => !told.includes(step)).toSorted(), ELSEWHERE)
  })
})
