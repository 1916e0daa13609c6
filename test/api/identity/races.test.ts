import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError } from '#contract/errors.ts'
import { beginDeviceGrant, decideDevice, redeemDeviceGrant } from '#api/identity/devices.ts'
import { hashOpaqueSecret, mintOpaqueSecret } from '#api/access/access-jwt.ts'
import { hashPassword } from '#api/identity/password-hash.ts'
import { openSession, renewSession } from '#api/identity/sessions.ts'
import { signIn } from '#api/identity/sign-in.ts'
import { unlimited } from '#api/access/unlimited.ts'
import type { Database, EntityManager } from '#db/engine/database.ts'
import { insertOneTimeSecret, useOneTimeSecret } from '#db/identity/one-time-secrets.ts'
import {
  acceptTotpStep,
  beginTotpEnrolment,
  replaceBackupCodes,
  useBackupCode,
} from '#db/identity/second-factor.ts'
import { endSessions } from '#db/identity/sessions.ts'
import { findUser, lockUser, setPasswordHash } from '#db/identity/users.ts'
import { createUser } from '../../support/factories.ts'
import { IS_LONG } from '../../support/generators.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { useDatabase } from '../../support/database.ts'

const ROUNDS = IS_LONG ? 100 : 15
const ignoreRejection = (error: unknown): void => {
  if (!(error instanceof ApiError)) throw error
}
const caller = { ip: '127.0.0.1', userAgent: 'races', deviceToken: null, requestId: 'races' }

const BY_PASSWORD = { hasSecondFactor: false, keep: 'token' } as const
const OF_A_PROGRAM = { renewalKey: null, isInCookie: false }

describe(`in ${ROUNDS} rounds of the same at once`, function () {
  this.timeout(120_000)
  let database: Database
  let userId: string
  useDatabase((opened) => {
    database = opened
  }, 20)
  beforeEach(async () => {
    userId = (await createUser(database.em, { plan: 'PRO' })).id
  })

  const atOnce = <T>(count: number, work: (em: EntityManager) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, () => work(database.em.fork())))
  const trues = (answers: boolean[]): number => answers.filter(Boolean).length

  it('fifty renewals of one refresh token lead to one successor', async () => {
    let { refreshToken } = await openSession(database.em.fork(), userId, caller, BY_PASSWORD)
    for (let round = 0; round < ROUNDS; round++) {
      const renewed = await atOnce(50, (em) => renewSession(em, { refreshToken, ...OF_A_PROGRAM }, caller))
      const successors = new Set(renewed.map((session) => session?.refreshToken))
      assert.equal(successors.size, 1, `round ${round}`)
      refreshToken = renewed[0]!.refreshToken
    }
    const [kept] = await database.em.execute<{ tokens: number; used: number }[]>(
      `select count(*)::int as tokens, count(used_at)::int as used from refresh_tokens where user_id = ?`,
      [userId],
    )
    assert.deepEqual(kept, { tokens: ROUNDS + 1, used: ROUNDS })
  })

  it('twenty uses of one code of an authenticator succeed once', async () => {
    await beginTotpEnrolment(database.em.fork(), userId, 'sealed')
    await acceptTotpStep(database.em.fork(), userId, 1, 'enrolment')
    for (let step = 2; step < 2 + ROUNDS; step++)
      assert.equal(
        trues(await atOnce(20, (em) => acceptTotpStep(em, userId, step, 'use'))),
        1,
        `step ${step}`,
      )
  })

  it('twenty uses of one backup code succeed once', async () => {
    const hashes = Array.from({ length: ROUNDS }, () => hashOpaqueSecret(randomUUID()))
    await replaceBackupCodes(database.em.fork(), userId, hashes)
    for (const hash of hashes)
      assert.equal(trues(await atOnce(20, (em) => useBackupCode(em, userId, hash))), 1)
  })

  /** As a new password, a reset and an administrator do. */
  const endEverything = (em: EntityManager): Promise<string[]> =>
    em.transactional(async (inner) => {
      await lockUser(inner, userId)
      return endSessions(inner, userId, 'all', 'revoked')
    })
  const liveSessions = async () => {
    const [row] = await database.em.execute<{ live: number }[]>(
      'select count(*)::int as live from sessions where user_id = ? and ended_at is null',
      [userId],
    )
    return row!.live
  }

  it('a device that fetches its token while all sessions are ended is signed in by none', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { sessionId } = await openSession(database.em.fork(), userId, caller, BY_PASSWORD)
      const { userCode, deviceCode } = await beginDeviceGrant(database.em.fork(), 'Wall', caller)
      await decideDevice(database.em.fork(), { userCode, userId, sessionId, isApproved: true }, caller)
      await Promise.all([
        redeemDeviceGrant(database.em.fork(), deviceCode, caller).catch(ignoreRejection),
        endEverything(database.em.fork()),
      ])
      assert.equal(await liveSessions(), 0, `round ${round}`)
    }
  })

  it('a device that is approved while all sessions are ended is not let in afterwards', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { sessionId } = await openSession(database.em.fork(), userId, caller, BY_PASSWORD)
      const { userCode, deviceCode } = await beginDeviceGrant(database.em.fork(), 'Wall', caller)
      const approval = { userCode, userId, sessionId, isApproved: true }
      await Promise.all([
        decideDevice(database.em.fork(), approval, caller).catch(ignoreRejection),
        endEverything(database.em.fork()),
      ])
      await assert.rejects(redeemDeviceGrant(database.em.fork(), deviceCode, caller), `round ${round}`)
    }
  })

  it('a sign-in with the old password leaves no session once a new password is set', async () => {
    const deps = { limits: unlimited, secretKeys, deviceKeys: { current: 'k', keys: new Map() } }
    const passwords = ['marmalade over the northern pier', 'a kettle whistles at dawn']
    const [old, next] = await Promise.all(passwords.map(hashPassword))
    const { email } = (await findUser(database.em.fork(), userId))!
    for (let round = 0; round < ROUNDS / 10; round++) {
      await setPasswordHash(database.em.fork(), userId, old!)
      const change = async (em: EntityManager) => {
        await pause(Math.random() * 100)
        await em.transactional(async (inner) => {
          await lockUser(inner, userId)
          await setPasswordHash(inner, userId, next!)
          await endSessions(inner, userId, 'all', 'password_changed')
        })
      }
      await Promise.all([
        ...Array.from({ length: 3 }, () =>
          signIn(deps, database.em.fork(), { email, password: passwords[0]!, keep: 'token' }, caller).catch(
            ignoreRejection,
          ),
        ),
        change(database.em.fork()),
      ])
      assert.equal(await liveSessions(), 0, `round ${round}`)
    }
  })

  it('twenty uses of one link to reset a password succeed once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { hash } = mintOpaqueSecret()
      await insertOneTimeSecret(database.em.fork(), { hash, userId, purpose: 'password_reset', seconds: 60 })
      const used = await atOnce(20, (em) => useOneTimeSecret(em, hash, 'password_reset'))
      assert.equal(trues(used), 1, `round ${round}`)
    }
  })
})
