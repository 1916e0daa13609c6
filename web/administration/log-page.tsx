import { getRouteApi } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { Button } from '../parts/button.tsx'
import { Select } from '../parts/field.tsx'
import { Empty } from '../parts/loaded.tsx'
import { Paged } from '../parts/pager.tsx'
import { Table } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { logColumns } from '../security/log-columns.tsx'
import { actorOf } from '../security/words.ts'
import { useAuditLog, useUserNames, type WholeAuditEvent } from './data.ts'
import { Administration } from './frame.tsx'

const route = getRouteApi('/gate/shell/administration/log')

/** Audit log of all users, which no person can change. */
export const LogPage = () => (
  <Administration name="Log">
    <Log />
  </Administration>
)

function Log() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const log = useAuditLog(search)
  const names = useUserNames()
  const now = useNow()
  const nameOf = (id: string | null, otherwise: string): string =>
    id === null ? otherwise : (names.get(id) ?? id)
  return (
    <section aria-label="Log" className="overflow-clip rounded-card border border-line bg-surface">
      <search className="flex flex-wrap items-end gap-3 border-b border-line p-3">
        <Select
          label="User"
          value={search.user ?? ''}
          options={[['', 'everybody'], ...names]}
          choose={(user) => void navigate({ search: user === '' ? {} : { user } })}
          className="max-desk:grow desk:w-80"
        />
        <Button onClick={() => void log.refetch()} className="desk:h-9">
          <RefreshCw aria-hidden="true" className="size-4" /> Read again
        </Button>
      </search>
      <Paged
        query={log}
        name="The log"
        rowsOf={({ events }) => events}
        page={search.page ?? 1}
        turnTo={(page) => void navigate({ search: { ...search, page } })}
      >
        {(events) => (
          <Table
            label="Log"
            columns={logColumns<WholeAuditEvent>(
              now,
              { name: 'User', of: ({ userId }) => nameOf(userId, 'no user') },
              { name: 'By', of: (event) => nameOf(actorOf(event), 'not known') },
            )}
            rows={events}
            keyOf={({ id }) => id}
            empty={<Empty title="Nothing yet" />}
          />
        )}
      </Paged>
    </section>
  )
}
