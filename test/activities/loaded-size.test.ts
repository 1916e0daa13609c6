import assert from 'node:assert/strict'
import { loadSignal } from '#activities/load.ts'
import type { Signal } from '#db/entities/index.ts'
import { exitBegins, type ExitProgress } from '#domain/exit/progress.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { held } from '#test/support/sample-position.ts'
import { allDaySessions, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('an exit that was sized, and whose workflow is lost before it was sent,', () => {
  let { desk, em, broker } = {} as ActivityDesk
  let signal: Signal
  useDesk(async (opened) => {
    ;({ desk, em, broker } = opened)
    broker.sessions = allDaySessions()
    broker.positions = [held('10', 'LONG')]
    signal = await desk.opened({ exitRule: exitAtOnce, exitStatus: 'scheduled' })
  })

  const progress: ExitProgress = { ...exitBegins(), entryEndedAt: '2026-03-02T15:00:00.000Z', opposed: true }
  const loaded = async () => {
    const { phase, exit } = await loadSignal(em, signal.id, new Date().toISOString())
    return { phase, exit }
  }

  it('an exit that was sized goes on from the progress that was stored with its size', async () => {
    const sized = await desk.size(signal, { progress })
    assert.equal(sized.quantity, '10')
    assert.deepEqual(await loaded(), { phase: 'exiting', exit: progress })
  })

  it('an exit that is sized while its levels are changed goes on from the changed levels', async () => {
    const changed = { ...progress, levelsSince: '2026-03-02T15:01:00.000Z' }
    await em.execute('update signals set exit_progress = ?::jsonb where id = ?', [
      JSON.stringify(changed),
      signal.id,
    ])
    await desk.size(signal, { progress })
    assert.deepEqual((await loaded()).exit, changed)
  })

  it('an exit that is sized a second time keeps its size, and the progress of the first', async () => {
    await desk.size(signal, { progress })
    broker.positions = []
    const again = await desk.size(signal, { progress: exitBegins() })
    assert.equal(again.quantity, '10')
    assert.deepEqual((await loaded()).exit, progress)
  })
})
