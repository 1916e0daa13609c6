import assert from 'node:assert/strict'
import { EntryAnswers } from '#activities/entry-answers.ts'
import type { EntryAnswer } from '#workflows/signal/contract.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

const EXECUTED: EntryAnswer = { status: 'executed', orderId: 'an order', reason: null, detail: null }

const entry = (signalId: string) => signalTerms({ signalId })

describe('requests that wait for the outcome of an entry', () => {
  it('are told of their own signal and of no other', async () => {
    const answers = new EntryAnswers()
    const [one, other] = [answers.wait(entry('one')), answers.wait(entry('other'))]
    answers.tell('one', EXECUTED)
    answers.tell('other', null)
    assert.deepEqual([await one.answer, await other.answer], [EXECUTED, null])
  })

  it('keep the first outcome that they are told', async () => {
    const answers = new EntryAnswers()
    const { answer } = answers.wait(entry('one'))
    answers.tell('one', null)
    answers.tell('one', EXECUTED)
    assert.equal(await answer, null)
  })

  it('are not told any more once they are over, and leave a later one alone', async () => {
    const answers = new EntryAnswers()
    const first = answers.wait(entry('one'))
    const second = answers.wait(entry('one'))
    first.over()
    answers.tell('one', EXECUTED)
    assert.deepEqual(await second.answer, EXECUTED)
    assert.equal(await Promise.race([first.answer, Promise.resolve('still waits')]), 'still waits')
  })

  it('may be none', () => {
    new EntryAnswers().tell('one', EXECUTED)
  })

  it('have their entry prepared when they begin to wait, and that dropped when they are over', () => {
    const answers = new EntryAnswers()
    const prepared: string[] = []
    answers.prepareBy(({ signalId }) => {
      prepared.push(signalId)
      return () => prepared.pop()
    })
    const { over } = answers.wait(entry('one'))
    assert.deepEqual(prepared, ['one'])
    over()
    assert.deepEqual(prepared, [])
  })

  it('have their entry attempted once its workflow is started', async () => {
    const answers = new EntryAnswers()
    const begun: string[] = []
    answers.beginBy(async ({ signalId }) => void begun.push(signalId))
    const { begin } = answers.wait(entry('one'))
    answers.wait(entry('other'))
    assert.deepEqual(begun, [])
    await begin()
    assert.deepEqual(begun, ['one'])
  })

  it('have no entry attempted for them once they are told, or are over', async () => {
    const answers = new EntryAnswers()
    const begun: string[] = []
    answers.beginBy(async ({ signalId }) => void begun.push(signalId))
    const [told, over] = [answers.wait(entry('told')), answers.wait(entry('over'))]
    answers.tell('told', null)
    over.over()
    await Promise.all([told.begin(), over.begin()])
    assert.deepEqual(begun, [])
  })
})
