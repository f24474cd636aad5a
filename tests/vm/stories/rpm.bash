# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# For rpm.bats: rpm and dnf in a guest of Debian.

make_stand_ins() {
	local capabilities
	capabilities=$("$VM_TOP/tests/vm/host/stand-ins" | paste -sd ' ')
	printf '# %s: stands in for Fedora: a Debian guest; empty rpms provide %s; Debian builds, boots and runs\n' "$SUITE" "$capabilities" >&3
}

# Compiling Python ahead would take longer than all the Python that runs here.
install_dnf() {
	local debs
	debs=$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" rpm dnf)
	vm_put "$debs" /srv
	ok 'ln -s /bin/true /usr/local/sbin/py3compile
		dpkg -i --force-unsafe-io --no-triggers /srv/debs-*/*.deb >/root/dpkg.log 2>&1 || { tail -n 20 /root/dpkg.log; exit 1; }
		ldconfig; rm -r /srv/debs-*
		mkdir -p /usr/lib/systemd/system-preset; echo "disable *" >/usr/lib/systemd/system-preset/99-default-disable.preset # as in Fedora and EL
		rm -f /usr/lib/systemd/system-preset/9[0-8]-*'
}
