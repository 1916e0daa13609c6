import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { findOwnAccount, listAccounts } from '#db/account/accounts.ts'
import { openDatabase, type Database, type EntityManager } from '#db/engine/database.ts'
import { Signal } from '#db/entities/index.ts'
import { actAs, MEMBER_ROLE, queryRows } from '#db/engine/row-security.ts'
import { insertSignal, type NewSignal } from '#db/signal/storing.ts'
import { insertUser } from '#db/identity/users.ts'
import { createAccount, createSignal, createStrategy, createUser } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'

describe('row security', () => {
  let url: string
  let database: Database
  let service: EntityManager
  useDatabase((opened, address) => {
    database = opened
    url = address
    service = database.em.fork()
  })

  const as = (userId: string): EntityManager => {
    const em = database.em.fork()
    actAs(em, userId)
    return em
  }

  it('row security is decided for every table: a policy, or nothing at all for users', async () => {
    const tables = await service.execute<{ name: string; secured: boolean; policies: number }[]>(
      `select c.relname as name, c.relrowsecurity as secured,
              (select count(*)::int from pg_policy p where p.polrelid = c.oid
                 and '${MEMBER_ROLE}'::regrole = any (p.polroles)) as policies
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and (has_table_privilege('${MEMBER_ROLE}', c.oid, 'select, insert, update, delete, truncate')
              or has_any_column_privilege('${MEMBER_ROLE}', c.oid, 'select, insert, update'))`,
    )
    assert.ok(tables.length > 10)
    assert.deepEqual(
      tables.filter(({ secured, policies }) => !secured || policies === 0).map(({ name }) => name),
      [],
    )
  })

  it('leaves to users no table that names an owner without letting them see their own rows', async () => {
    const unseen = await service.execute<{ name: string }[]>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'user_id'
         and not has_any_column_privilege('${MEMBER_ROLE}', table_name::regclass, 'select') order by 1`,
    )
    assert.deepEqual(unseen, [], 'a new table needs belongsTo(...) in its migration')
  })

  describe('with two users', () => {
    let mine: { userId: string; accountId: string; signalId: string }
    let theirs: typeof mine
    beforeEach(async () => {
      const add = async () => {
        const { id: userId } = await createUser(service)
        const { id: accountId } = await createAccount(service, { userId })
        await createStrategy(service, { userId })
        const { id: signalId } = await createSignal(service, { userId, accountId })
        await event(service, signalId)
        return { userId, accountId, signalId }
      }
      mine = await add()
      theirs = await add()
    })
    const event = (em: EntityManager, signalId: string) =>
      em.execute(
        `insert into signal_events (signal_id, key, kind, at, message) values (?, ?, 'received', now(), 'x')`,
        [signalId, randomUUID()],
        'run',
      )

    it('holds for a statement that PostgreSQL keeps, after use by any user', async () => {
      const reader = await openDatabase(url, 1)
      const ids = async (userId: string) => {
        const em = reader.em.fork()
        actAs(em, userId)
        const rows = await queryRows<{ id: string }>(em, 'select id from signals where ?::int = 1', [1])
        return rows.map(({ id }) => id)
      }
      for (let use = 0; use < 15; use++) {
        assert.deepEqual(await ids(mine.userId), [mine.signalId])
        assert.deepEqual(await ids(theirs.userId), [theirs.signalId])
      }
      const kept = await reader.em.execute<{ statement: string; generic_plans: string }[]>(
        'select statement, generic_plans from pg_prepared_statements',
      )
      const used = kept.filter(({ statement }) => statement.startsWith('select id from signals'))
      // A plan that serves every user alike is a bad one for those with most of the rows.
      assert.deepEqual(
        used.map(({ generic_plans: plans }) => Number(plans)),
        [0],
      )
      await reader.close(true)
    })

    it('goes on where a kept statement fails, and where its columns change', async () => {
      const reader = await openDatabase(url, 1)
      const divided = async (by: number) => {
        const em = reader.em.fork()
        actAs(em, mine.userId)
        const rows = await queryRows<{ n: number }>(em, 'select 6 / ?::int as n, s.* from signals s', [by])
        return rows[0]!.n
      }
      // The tenth use is the first one that is kept, and fails after that.
      for (let use = 1; use < 10; use++) assert.equal(await divided(2), 3)
      await assert.rejects(divided(0))
      for (let use = 0; use < 3; use++) assert.equal(await divided(2), 3)
      await service.execute('alter table signals add column added int')
      try {
        for (let use = 0; use < 3; use++) assert.equal(await divided(2), 3)
      } finally {
        await service.execute('alter table signals drop column added')
        await reader.close(true)
      }
    })

    it('shows only own rows to a statement that forgets to ask for an owner', async () => {
      const shown = async (columns: string, table: string) =>
        (await as(mine.userId).execute<{ shown: string }[]>(`select ${columns} as shown from ${table}`)).map(
          (row) => row.shown,
        )
      assert.deepEqual(await shown('id', 'users'), [mine.userId])
      for (const table of ['accounts', 'broker_connections', 'strategies', 'signals'])
        assert.deepEqual(await shown('user_id', table), [mine.userId], table)
      assert.deepEqual(await shown('signal_id', 'signal_events'), [mine.signalId])
    })

    it('changes and removes nothing of others, and gives them nothing', async () => {
      const em = as(mine.userId)
      for (const statement of [
        `update accounts set name = 'taken'`,
        `update signals set symbol = 'TAKEN'`,
        `delete from strategies`,
      ])
        await em.execute(`${statement} where user_id = ?`, [theirs.userId])
      const [left] = await service.execute<{ left: number }[]>(
        `select count(*)::int as left from accounts a join signals s using (user_id) join strategies t using (user_id)
         where user_id = ? and a.name <> 'taken' and s.symbol <> 'TAKEN'`,
        [theirs.userId],
      )
      assert.equal(left!.left, 1)
      for (const statement of [
        `insert into strategies (id, user_id, name) values ('${randomUUID()}', '${theirs.userId}', 'x')`,
        `update strategies set user_id = '${theirs.userId}'`,
        `insert into audit_events (user_id, kind) values ('${theirs.userId}', 'x')`,
        `update users set role = 'admin'`,
        `delete from users`,
        `select * from request_counts`,
        `select * from send_permits`,
        `update audit_events set kind = 'x'`,
      ])
        await assert.rejects(em.execute(statement), /row-level security|permission denied/, statement)
      await assert.rejects(event(em, theirs.signalId), /somebody else/)
    })

    it('takes a signal of one’s own with its first event in one statement', async () => {
      const stored = await service.fork().findOneOrFail(Signal, { id: mine.signalId })
      const signal: NewSignal = { ...stored, id: randomUUID() }
      const received = {
        key: 'received',
        kind: 'received',
        at: new Date().toISOString(),
        message: 'x',
      } as const
      assert.equal(await insertSignal(as(mine.userId), signal, received), true)
      await assert.rejects(insertSignal(as(theirs.userId), { ...signal, id: randomUUID() }, received))
    })

    it('lets a query for another user find no row', async () => {
      const accountsOf = ({ userId }: typeof mine) =>
        listAccounts(as(mine.userId), userId, { withRemoved: true })
      assert.equal(await findOwnAccount(as(mine.userId), theirs.userId, theirs.accountId), null)
      assert.deepEqual([(await accountsOf(theirs)).length, (await accountsOf(mine)).length], [0, 1])
    })

    it('holds in transactions, forks and single messages, ends with them, also when one fails: the next user of a connection is themself', async () => {
      const one = await openDatabase(url, 1)
      try {
        const em = one.em.fork()
        actAs(em, mine.userId)
        const users = (view: EntityManager) => queryRows<{ id: string }>(view, 'select id from users', [])
        const hasEnded = async () => {
          const [outside] = await queryRows<{ role: string; acting: string | null }>(
            one.em.fork(),
            'select current_user::text as role, acting_user() as acting',
            [],
          )
          assert.notEqual(outside!.role, MEMBER_ROLE)
          assert.equal(outside!.acting, null)
          assert.ok((await users(one.em.fork())).length >= 2)
        }
        await em.transactional(async (inner) => {
          assert.deepEqual(await inner.execute('select id from users'), [{ id: mine.userId }])
          assert.deepEqual(await users(inner), [{ id: mine.userId }])
        })
        assert.equal((await em.fork().execute<unknown[]>('select id from users')).length, 1)
        await assert.rejects(em.execute('select 1 / 0'))
        await hasEnded()
        assert.deepEqual(await users(em), [{ id: mine.userId }])
        await assert.rejects(queryRows(em, 'select 1 / ?::int', [0]))
        await hasEnded()
      } finally {
        await one.close(true)
      }
    })

    it('lets no statement run in a name that PostgreSQL does not take', async () => {
      const em = database.em.fork()
      em.setSessionContext({ variables: { 'app.user_id': mine.userId }, role: 'nobody_there' })
      await assert.rejects(
        queryRows(em, `delete from strategies where user_id = ? returning id`, [mine.userId]),
      )
      const left = await queryRows(service, 'select id from strategies where user_id = ?', [mine.userId])
      assert.equal(left.length, 1)
    })

    it('shows nothing at all to the role without a user', async () => {
      const em = database.em.fork()
      em.setSessionContext({ role: MEMBER_ROLE })
      assert.deepEqual(await em.execute('select id from accounts'), [])
    })
  })

  it('binds the service in nothing', async () => {
    const email = `${randomUUID()}@example.test`
    assert.ok(await insertUser(service, { email, passwordHash: null, role: 'member', plan: 'FREE' }))
  })
})
