import { getRouteApi, Link } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Paged } from '../parts/pager.tsx'
import { ListTime } from '../parts/list-time.tsx'
import { Panel } from '../parts/panel.tsx'
import { Table, type Column } from '../parts/table.tsx'
import { useNow } from '../parts/time.ts'
import { number } from '../words/figures.ts'
import { useUsers, type AdministeredUser, ROLES } from './data.ts'
import { Administration, UserState } from './frame.tsx'
import { InviteSheet } from './invite-sheet.tsx'

export const UsersPage = () => (
  <Administration name="Users">
    <Users />
  </Administration>
)

const route = getRouteApi('/gate/shell/administration')

function Users() {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const users = useUsers(page)
  const now = useNow()
  const [isInviting, setInviting] = useState(false)
  return (
    <Panel
      title={
        users.data ? `${number(users.data.total)} ${users.data.total === 1 ? 'user' : 'users'}` : 'Users'
      }
      aside={
        <Button kind="primary" onClick={() => setInviting(true)}>
          <UserPlus aria-hidden="true" className="size-4" /> Invite…
        </Button>
      }
    >
      <Paged
        query={users}
        name="The users"
        lines={6}
        rowsOf={(list) => list.users}
        page={page}
        first="oldest"
        turnTo={(to) => void navigate({ search: to === 1 ? {} : { page: to } })}
      >
        {(rows) => <Table label="Users" columns={columns(now)} rows={rows} keyOf={({ id }) => id} />}
      </Paged>
      {isInviting && <InviteSheet close={() => setInviting(false)} invited={() => void users.refetch()} />}
    </Panel>
  )
}

const columns = (now: number): readonly Column<AdministeredUser>[] => [
  {
    name: 'Address',
    place: 'first',
    of: ({ id, email }) => (
      <Link
        to="/administration/users/$user"
        params={{ user: id }}
        className="inline-flex min-h-11 items-center wrap-anywhere underline desk:min-h-6"
      >
        {email}
      </Link>
    ),
  },
  { name: 'State', place: 'lead', of: (user) => <UserState user={user} /> },
  { name: 'Role', place: 'second', of: ({ role }) => ROLES[role] },
  { name: 'Plan', place: 'tail', of: ({ plan }) => plan },
  { name: 'Mode', of: ({ tradingMode }) => tradingMode },
  { name: 'Two-step sign-in', of: ({ mfaEnabled }) => (mfaEnabled ? 'on' : 'off') },
  { name: 'Since', line: 'whole', of: ({ createdAt }) => <ListTime at={createdAt} now={now} /> },
]
