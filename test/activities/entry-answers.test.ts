import assert from 'node:assert/strict'
import { EntryAnswers } from '#activities/entry-answers.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'

const EXECUTED: EntryAnswer = { status: 'executed', orderId: 'an order', reason: null, detail: null }

describe('requests that wait for the outcome of an entry', () => {
  it('are told of their own signal and of no other', async () => {
    const answers = new EntryAnswers()
    const [one, other] = [answers.wait('one'), answers.wait('other')]
    answers.tell('one', EXECUTED)
    answers.tell('other', null)
    assert.deepEqual([await one.answer, await other.answer], [EXECUTED, null])
  })

  it('keep the first outcome that they are told', async () => {
    const answers = new EntryAnswers()
    const { answer } = answers.wait('one')
    answers.tell('one', null)
    answers.tell('one', EXECUTED)
    assert.equal(await answer, null)
  })

  it('are not told any more once they are over, and leave a later one alone', async () => {
    const answers = new EntryAnswers()
    const first = answers.wait('one')
    const second = answers.wait('one')
    first.over()
    answers.tell('one', EXECUTED)
    assert.deepEqual(await second.answer, EXECUTED)
    assert.equal(await Promise.race([first.answer, Promise.resolve('still waits')]), 'still waits')
  })

  it('may be none', () => {
    new EntryAnswers().tell('one', EXECUTED)
  })
})
