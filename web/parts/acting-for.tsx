import { useMe } from '../records/person.ts'

/** Names the person whose accounts or keys a page is about, where a mistake about that would cost money. */
export function ActingFor() {
  const { data: me } = useMe()
  return (
    me && (
      <p className="wrap-anywhere">
        Signed in as <b className="font-bold">{me.email}</b>
      </p>
    )
  )
}
