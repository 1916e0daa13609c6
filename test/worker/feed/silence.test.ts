import assert from 'node:assert/strict'
import pino from 'pino'
import type { EntityManager } from '#db/engine/database.ts'
import { BrokerConnection } from '#db/entities/index.ts'
import { Silence } from '#worker/feed/stream-alarm.ts'
import { useDatabase } from '../../support/database.ts'
import { createConnection } from '../../support/factories.ts'

describe('a silent broker', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  it('a silent broker is noted after four seconds without a word, once, and no longer when it is heard again', async () => {
    const { id } = await createConnection(em)
    const silence = new Silence(em, id, pino({ level: 'silent' }))
    const since = async () =>
      (await em.fork().findOneOrFail(BrokerConnection, { id })).unansweredSince?.getTime() ?? null
    for (const [silentFor, isNoted] of [
      [100, false],
      [3_900, false],
      [4_000, true],
      [6_000, true],
      [50, false],
      [9_000, true],
      [1_000, false],
    ] as const) {
      await silence.pulse(silentFor)
      assert.equal((await since()) !== null, isNoted, `${silentFor}`)
    }
  })
})
