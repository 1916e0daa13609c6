import { createBackground } from '#api/http/background.ts'
import { databaseUnavailable } from '#contract/errors.ts'
import { storeOrCompensate } from '#api/http/store-or-compensate.ts'
import assert from 'node:assert/strict'
import pino from 'pino'

describe('what was answered with an error', () => {
  const background = createBackground(pino({ level: 'silent' }))
  const late = () => Promise.reject(databaseUnavailable(null))

  /** How often it was undone, when its storing came to that after the answer. */
  async function undoings(storing: Promise<unknown>, failing = 0): Promise<number> {
    let asked = 0
    const undo = async () => {
      asked += 1
      if (asked <= failing) throw new Error('the database is away')
    }
    await assert.rejects(storeOrCompensate({ background }, late, { storing, undo }))
    await background.whenIdle()
    return asked
  }

  it('what was answered with an error is undone when it was stored after all', async () => {
    assert.equal(await undoings(Promise.resolve('stored')), 1)
  })

  it('a request answered with an error is undone when its connection broke, so that its storage is uncertain', async () => {
    assert.equal(await undoings(Promise.reject(new Error('Connection terminated unexpectedly'))), 1)
  })

  it('what was answered with an error is undone as soon as the database is back', async () => {
    assert.equal(await undoings(Promise.resolve('stored'), 3), 4)
  })

  it('what was answered with an error is not looked for where PostgreSQL has cut it off', async () => {
    const cutOff = Object.assign(new Error('canceling statement'), { code: '57014' })
    assert.equal(await undoings(Promise.reject(cutOff)), 0)
  })

  it('what was answered with an error is left alone when it was stored in time', async () => {
    const undo = () => assert.fail('it was undone')
    assert.equal(
      await storeOrCompensate({ background }, (work) => work, { storing: Promise.resolve(1), undo }),
      1,
    )
    await background.whenIdle()
  })
})
