import { useMe } from '../records/person.ts'

/** Email of the signed-in person, where a mistake about accounts would cost money. */
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
