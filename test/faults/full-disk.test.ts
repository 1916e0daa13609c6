import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '#test/support/eventually.ts'
import { Stack } from '#test/support/stack.ts'
import { assertOneEntryOneExit, buyNow, endOf, ordersAtVenue } from '#test/service/sent-signal.ts'

const MEGABYTES = 900
/** Milliseconds for which the disk stays full once the exit is due. */
const FULL_AFTER_EXIT = 30_000

/**
 * One machine with one disk: PostgreSQL, Temporal, the venue and the logs on a small file system that becomes full.
 * Mounting it needs root.
 */
describe('a disk that is full', function () {
  this.timeout(240_000)
  const usualFolder = process.env['TMPDIR']
  let disk: string
  let stack: Stack | undefined

  before(async function () {
    disk = mkdtempSync(join(tmpdir(), 'durable-trader-disk-'))
    const mounting = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${MEGABYTES}m`, 'tmpfs', disk])
    if (mounting.status !== 0) {
      rmSync(disk, { recursive: true })
      return this.skip()
    }
    chmodSync(disk, 0o755)
    process.env['TMPDIR'] = disk
    stack = await Stack.start({ api: { DATA_DIR: disk } })
  })

  after(async () => {
    if (usualFolder === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usualFolder
    await stack?.close()
    const unmounting = spawnSync('umount', ['--lazy', disk])
    if (unmounting.status === 0) rmSync(disk, { recursive: true })
  })

  afterEach(function () {
    if (this.currentTest?.state === 'failed') console.error(stack?.logs())
  })

  it('takes no part down, and what was accepted and due is done once there is room', async () => {
    const service = stack!
    const entered = await service.api.post(
      '/signals',
      buyNow(service, { symbol: 'ZTHELD', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
    )
    assert.equal(entered.status, 201, JSON.stringify(entered.body))
    const exitAt = performance.now() + 60_000

    const ballast = fill(join(disk, 'ballast'))
    const filled = secondsSince()
    const accepted: string[] = []
    const times: Record<string, number> = {}
    while (performance.now() < exitAt + FULL_AFTER_EXIT) {
      const { status, body } = await service.api.post(
        '/signals',
        buyNow(service, { symbol: 'ZTMEAN' }),
        10_000,
      )
      assert.ok(
        status === 202 || (status === 503 && body.code === 'DATABASE_UNAVAILABLE'),
        `${status} ${JSON.stringify(body)}`,
      )
      if (status === 202) accepted.push(body.signal.id)
      else times['first signal refused'] ??= filled()
      if ((await fetch(`${service.addresses.api}/readyz`)).status === 503) times['/readyz 503'] ??= filled()
      await sleep(500)
    }
    assert.ok(times['/readyz 503']! < 5, '/readyz tells of the full disk')
    assert.equal(await metric(service, 'disk_free_bytes'), 0)
    for (const part of Object.values(service.parts)) assert.ok(part.isRunning, part.name)

    closeSync(ballast)
    rmSync(join(disk, 'ballast'))
    const freed = secondsSince()
    await eventually(
      async () => {
        const { status, body } = await service.api.post('/signals', buyNow(service, { symbol: 'ZTAFTER' }))
        assert.equal(status, 201, JSON.stringify(body))
      },
      { within: 60_000 },
    )
    times['room, then the next signal executed'] = freed()
    await assertOneEntryOneExit(service, entered.body.signal.id, { within: 60_000 })
    times['room, then the exit filled'] = freed()
    await service.untilReady()
    for (const id of accepted) {
      const { status, reason } = await endOf(service, id, { within: 60_000 })
      const orders = ordersAtVenue(await service.venue.ledger(), id).length
      assert.ok(status === 'executed' ? orders === 1 : reason === 'STALE' && orders === 0, `${id} ${reason}`)
    }
    times['room, then every accepted signal ended'] = freed()
    for (const log of ['api.log', 'worker.log'])
      assert.match(readFileSync(join(service.logFolder, log), 'utf8'), /"lost":\d+,"msg":"lines of this log/)
    console.log(`      in seconds: ${JSON.stringify(times)}; ${accepted.length} signals accepted meanwhile`)
  })
})

/** A clock that starts now; seconds. */
function secondsSince(): () => number {
  const start = performance.now()
  return () => Math.round((performance.now() - start) / 100) / 10
}

async function metric(service: Stack, name: string): Promise<number> {
  const page = await (await fetch(`${service.addresses.apiMetrics}/metrics`)).text()
  return Number(new RegExp(`^durable_trader_${name} (.+)$`, 'm').exec(page)?.[1])
}

/** Takes all room there is; returns the open file. */
function fill(path: string): number {
  const file = openSync(path, 'w')
  for (let size = 1 << 20; size >= 4_096;)
    try {
      writeSync(file, Buffer.alloc(size, 1))
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
      size /= 2
    }
  return file
}
