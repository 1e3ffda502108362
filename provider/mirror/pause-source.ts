// The container that holds a pod's namespaces: waits for ever, reaps orphans, ends when told. As text, so that the bundled provider can build it without a file beside it.
export const pauseSource = `#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void end(int n) { (void)n; _exit(0); }
static void reap(int n) { (void)n; while (waitpid(-1, NULL, WNOHANG) > 0) {} }
int main(void) {
  signal(SIGINT, end);
  signal(SIGTERM, end);
  signal(SIGCHLD, reap);
  for (;;) pause();
}
`;
