import { useState } from 'react'
import { Empty } from '../parts/loaded.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Paged } from '../parts/pager.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { useMe } from '../records/person.ts'
import { logColumns } from './log-columns.tsx'
import { useSecurityLog } from './own-account.ts'
import { PasswordPanel } from './password-panel.tsx'
import { SecondStepPanel } from './second-step-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'
import { actorOf, type AuditEvent } from './words.ts'

export function SecurityPage() {
  const now = useNow()
  return (
    <>
      <PageHead name="Security" />
      {/* A list comes last in its column: rows that arrive move nothing. */}
      <div className="grid items-start gap-4 wide:grid-cols-2">
        <div className="grid min-w-0 gap-4">
          <SecondStepPanel />
          <PasswordPanel />
          <SessionsPanel now={now} />
        </div>
        <LogPanel now={now} />
      </div>
    </>
  )
}

/** Events in the person's name, which no person can change or remove. */
function LogPanel({ now }: { now: number }) {
  const [page, setPage] = useState(1)
  const log = useSecurityLog(page)
  const { data: me } = useMe()
  const by = (event: AuditEvent): string => {
    const actor = actorOf(event)
    if (actor === null) return 'not known'
    return actor === me?.id ? 'you' : 'an administrator'
  }
  return (
    <Panel title="Your activity log">
      <Paged
        query={log}
        name="The log"
        lines={6}
        rowsOf={({ events }) => events}
        page={page}
        turnTo={setPage}
      >
        {(events) => (
          <Table
            label="Your activity log"
            columns={logColumns<AuditEvent>(now, { name: 'By', of: by })}
            rows={events}
            keyOf={({ id }) => id}
            empty={<Empty title="Nothing yet" />}
          />
        )}
      </Paged>
    </Panel>
  )
}
