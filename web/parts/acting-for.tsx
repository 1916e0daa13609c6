/** Names the person whose accounts or keys a page is about, where a mistake about that would cost money. */
export const ActingFor = ({ email }: { email: string }) => (
  <p className="wrap-anywhere">
    Signed in as <b className="font-bold">{email}</b>
  </p>
)
