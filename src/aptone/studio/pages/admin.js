// The page of those who run a study: tasks, people, invitations, uploads; it keeps itself up to date.
import { get, path } from "./api.js";
import { invitationsSection } from "./admin_invitations.js";
import { peopleSection } from "./admin_people.js";
import { tasksSection } from "./admin_tasks.js";
import { uploadsSection } from "./admin_uploads.js";
import { attempts, freshness, openDesk } from "./desk.js";
import { fill } from "./dom.js";
import { isNumber } from "./drawing.js";
import { frame } from "./frame.js";
import { keepFresh } from "./live.js";
import { say } from "./messages.js";

const SECONDS = 4;
const sum = (values) => values.reduce((total, value) => total + value, 0);

await openDesk("admin", async (person, main) => {
  frame({ person, title: say("desk.title") });
  const fresh = freshness();
  const changed = () => soon();
  const { node, attempt } = attempts(changed);
  const tasks = tasksSection({ attempt });
  const invitations = invitationsSection({ attempt });
  const people = peopleSection({ attempt, renew: invitations.renew, self: person.id });
  fill(main, fresh.node, node, tasks.node, people.node, invitations.node, uploadsSection({ changed }));

  const progress = new Map();
  async function refresh() {
    const [listed, everybody, invited] = await Promise.all([
      get("/api/tasks"),
      get("/api/people"),
      get("/api/invitations"),
    ]);
    const draw = () => {
      tasks.show(listed.map((task) => ({ ...task, overall: progress.get(task.name) ?? null })));
      people.show(everybody.map((one) => together(one, progress)));
    };
    invitations.show(invited);
    draw(); // counting takes long in a large study; who and what is there is known at once
    await Promise.all(
      listed.map(async ({ name }) => progress.set(name, await get(path("api", "tasks", name, "progress")))),
    );
    draw();
  }
  const soon = keepFresh(refresh, { seconds: SECONDS, onResult: fresh.onResult });
  await soon();
});

/** A person with the progress, speed and flags of all tasks. */
function together(person, progress) {
  const shares = [...progress].flatMap(([task, { people }]) =>
    people.filter((one) => one.person === person.id).map((one) => ({ ...one, task })),
  );
  const timed = shares.filter((one) => isNumber(one.seconds) && one.done);
  return {
    ...person,
    done: sum(shares.map((one) => one.done)),
    total: sum(shares.map((one) => one.total)),
    seconds: timed.length ? sum(timed.map((one) => one.seconds * one.done)) / sum(timed.map((one) => one.done)) : null,
    headphones: shares.filter((one) => one.headphones).map((one) => ({ task: one.task, result: one.headphones })),
    flags: shares.flatMap((one) => one.flags.map((flag) => ({ ...flag, task: one.task }))),
  };
}
