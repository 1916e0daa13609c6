import { useState } from 'react'
import { Empty, Loaded } from '../parts/loaded.tsx'
import { PAGE_ROWS, Pager } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { useMe } from '../records/person.ts'
import { logColumns } from './log-columns.tsx'
import { useSecurityLog } from './own-account.ts'
import { actorOf, type AuditEvent } from './words.ts'

/** What was done in the person's name. Nobody can change or remove what it says. */
export function LogPanel({ now }: { now: number }) {
  const [page, setPage] = useState(1)
  const log = useSecurityLog(page)
  const { data: me } = useMe()
  const by = (event: AuditEvent): string => {
    const actor = actorOf(event)
    if (actor === null) return 'not known'
    return actor === me?.id ? 'you' : 'an administrator'
  }
  return (
    <Panel title="What was done in your name">
      <Loaded query={log} name="The log" rows={6}>
        {({ events, total, totalIsExact, nextCursor }) =>
          events.length === 0 ? (
            <Empty title="Nothing yet" />
          ) : (
            <>
              <Table
                label="What was done in your name"
                columns={logColumns<AuditEvent>(now, { name: 'By', of: by })}
                rows={events}
                keyOf={({ id }) => id}
              />
              <Pager
                page={page}
                total={total}
                totalIsExact={totalIsExact}
                hasMore={nextCursor !== null && events.length === PAGE_ROWS}
                turnTo={setPage}
              />
            </>
          )
        }
      </Loaded>
    </Panel>
  )
}
